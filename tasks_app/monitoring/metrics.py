"""/metrics: what all processes have counted, and what the database says now, in Prometheus' words."""

import logging
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import accumulate

from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.exposition import choose_encoder
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector
from redis.exceptions import RedisError

from . import gauges, listeners, store
from .catalogue import COUNTERS, HISTOGRAMS, SUM, Counter, Histogram
from .counters import cells
from .store import Shared

# Of one metric: label values -> its numbers, by "" or by bucket and sum.
type Numbers = dict[tuple[str, ...], dict[str, float]]

logger = logging.getLogger(__name__)


def exposition(accept: str) -> tuple[bytes, str]:
    """The text and its type. `accept`: the header of whoever asks. Raises the errors of the database."""
    registry = CollectorRegistry()
    registry.register(Metrics())
    try:
        encode, content_type = choose_encoder(accept)
    except (TypeError, ValueError):
        # The library reads a version out of the header, whatever stands there.
        encode, content_type = choose_encoder("")
    return encode(registry), content_type


class Metrics(Collector):
    """Collects anew each time. Without Redis it tells what the database knows, and that it did not hear the rest."""

    def collect(self) -> Iterator[Metric]:
        yield from _gauges()
        shared = _read()
        yield GaugeMetricFamily(
            "longhaul_counts_up", "1: Redis told what the processes counted; 0: it is away.", value=shared is not None
        )
        if shared is not None:
            yield from _counted(shared)

    def describe(self) -> Iterable[Metric]:
        # Else the registry would collect once just to learn the names.
        return ()


def _read() -> Shared | None:
    try:
        return store.read()
    except (RedisError, OSError) as error:
        logger.warning("/metrics without counters: %s", error)
        return None


def _gauges() -> Iterator[Metric]:
    samples = gauges.measured()
    for gauge in gauges.GAUGES:
        family = GaugeMetricFamily(gauge.name, gauge.text, labels=gauge.labels)
        for labels, value in samples[gauge.name]:
            family.add_metric(labels, value)
        yield family


def _counted(shared: Shared) -> Iterator[Metric]:
    yield GaugeMetricFamily("longhaul_websocket_connections", "Open now, in all web processes.", value=shared.sockets)
    by_name: defaultdict[str, Numbers] = defaultdict(lambda: defaultdict(dict))
    for (name, labels, part), value in shared.counts.items():
        by_name[name][labels][part] = value
    for counter in COUNTERS:
        yield _counter(counter, by_name[counter.name])
    for histogram in HISTOGRAMS:
        yield _histogram(histogram, by_name[histogram.name])


def _counter(counter: Counter, numbers: Numbers) -> Metric:
    family = CounterMetricFamily(counter.name, counter.text, labels=counter.labels)
    zeros = counter.zeros(listeners.known_kinds())
    for labels in sorted({*zeros, *_rightly_labelled(counter, numbers)}):
        family.add_metric(labels, numbers.get(labels, {}).get("", 0.0))
    return family


def _histogram(histogram: Histogram, numbers: Numbers) -> Metric:
    family = HistogramMetricFamily(histogram.name, histogram.text, labels=histogram.labels)
    names = cells(histogram.bounds)
    for labels in sorted(_rightly_labelled(histogram, numbers)):
        found = numbers[labels]
        up_to = accumulate(found.get(name, 0.0) for name in names)
        family.add_metric(labels, list(zip(names, up_to, strict=True)), sum_value=found.get(SUM, 0.0))
    return family


def _rightly_labelled(metric: Counter | Histogram, numbers: Numbers) -> Iterator[tuple[str, ...]]:
    """While a deploy is under way, another version may count with other labels."""
    return (labels for labels in numbers if len(labels) == len(metric.labels))
