// What a form declares of its fields (tasks_app/web/fields.py), carried out: fields that only one choice needs, and
// options that are folded away until they matter.

export function bringToLife(form) {
  const conditional = [...form.querySelectorAll("[data-only]")];
  const show = () => conditional.forEach((field) => showIfMet(form, field));
  form.addEventListener("change", show);
  // A browser cannot point at what is wrong in something that is folded.
  form.addEventListener("invalid", (event) => {
    const folded = event.target.closest("details");
    if (folded) folded.open = true;
  }, true);
  // Back from another page the choices of before stand again, without an event.
  addEventListener("pageshow", show);
  show();
}

export function focusWhatIsWrong(form) {
  const first = form.querySelector("[data-wrong]");
  if (!first) return;
  const controls = [...first.querySelectorAll("input, textarea, select")];
  (controls.find((one) => one.checked) ?? controls[0])?.focus();
}

function showIfMet(form, field) {
  const [name, wanted] = field.dataset.only.split("=");
  const met = form.elements[name]?.value === wanted;
  field.hidden = !met;
  field.removeAttribute("data-unmet");
  if ("needed" in field.dataset) for (const one of field.querySelectorAll("input, textarea, select")) one.required = met;
}
