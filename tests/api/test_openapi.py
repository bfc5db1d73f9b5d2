import re
from typing import Any

import pytest
from django.test import Client

from tasks_app.kinds.registry import submittable_kinds

from .clients import assert_problem

CALLS = {
    ("post", "/api/tasks"),
    ("get", "/api/tasks"),
    ("get", "/api/queues"),
    ("get", "/api/tasks/{task_id}"),
    ("get", "/api/tasks/{task_id}/attempts"),
    ("get", "/api/tasks/{task_id}/steps"),
    ("get", "/api/tasks/{task_id}/result"),
    ("post", "/api/tasks/{task_id}/cancel"),
    ("post", "/api/tasks/{task_id}/retry"),
}


@pytest.fixture
def schema(nobody: Client) -> Any:
    answer = nobody.get("/api/openapi.json")
    assert answer["Content-Type"].startswith("application/json")
    return answer.json()


def test_it_describes_every_call(schema: Any) -> None:
    found = {(method, path) for path, operations in schema["paths"].items() for method in operations}
    assert found == CALLS


def test_every_error_is_described_as_a_problem(schema: Any) -> None:
    for operations in schema["paths"].values():
        for operation in operations.values():
            errors = {status: answer for status, answer in operation["responses"].items() if int(status) >= 400}
            assert "401" in errors
            for answer in errors.values():
                assert answer["content"] == {
                    "application/problem+json": {"schema": {"$ref": "#/components/schemas/ProblemOut"}}
                }


def test_every_reference_leads_somewhere(schema: Any) -> None:
    names = set(re.findall(r"#/components/schemas/(\w+)", str(schema)))
    assert names
    assert names <= set(schema["components"]["schemas"])


def test_a_submission_is_described_as_json_and_as_a_form(schema: Any) -> None:
    content = schema["paths"]["/api/tasks"]["post"]["requestBody"]["content"]
    assert set(content) == {"application/json", "multipart/form-data"}
    assert content["multipart/form-data"]["schema"]["properties"]["file"]["format"] == "binary"
    assert "input" in content["application/json"]["schema"]["properties"]
    for media_type in content.values():
        fresh = media_type["schema"]["properties"]["fresh"]
        assert (fresh["type"], fresh["default"]) == ("boolean", False)
        assert "Ask the model anew." in fresh["description"]


def test_a_start_from_scratch_says_that_it_is_paid(schema: Any) -> None:
    body = schema["paths"]["/api/tasks/{task_id}/retry"]["post"]["requestBody"]["content"]["application/json"]
    assert "is paid once more" in body["schema"]["properties"]["from_scratch"]["description"]
    assert "scratch" in schema["components"]["schemas"]["TaskOut"]["properties"]


def test_the_fields_of_every_kind_are_described(schema: Any) -> None:
    told = schema["paths"]["/api/tasks"]["post"]["description"]
    for kind in submittable_kinds():
        assert f"**`{kind.kind}`** {kind.title}." in told
        assert kind.form
        assert [name for name in kind.form.base_fields if f"- `{name}`" not in told] == []
    assert "One of `page`, `chunk`, `whole`." in told
    assert "the id of one uploaded before" in told


def test_both_ways_to_sign_in_are_described(schema: Any) -> None:
    assert {scheme["type"] for scheme in schema["components"]["securitySchemes"].values()} == {"http", "apiKey"}


def test_the_readable_page_needs_nothing_from_outside_and_no_inline_script(nobody: Client) -> None:
    page = nobody.get("/api/docs").content.decode()
    assert "http://" not in page
    assert "https://" not in page
    scripts = re.findall(r"<script([^>]*)>([^<]*)", page)
    assert all("src=" in attributes or "application/json" in attributes for attributes, _ in scripts)
    assert not re.search(r"\son\w+=|style=", page)


@pytest.mark.parametrize("path", ["/api/openapi.json", "/api/docs"])
def test_the_description_is_read_only(db: None, path: str) -> None:
    assert_problem(Client(enforce_csrf_checks=True).post(path), 405)
