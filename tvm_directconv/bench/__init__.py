"""Benchmarks against the libraries users would otherwise take: single layers and whole networks.

    from tvm_directconv.bench import bench_layers, bench_network
    result = bench_layers(["resnet50"])
    result.table(); result.to_json("layers.json"); result.plot("layers.png")

``contestants`` holds one file per library, ``problems`` the data and ``answers`` what is right, ``harness``
starts benchmarks and ``rounds`` measures what runs in processes of its own (``solver``), ``figures`` derives
from that what ``results`` shows. Peers are imported only when they are run; one that is not installed, or
crashes, is reported.
"""

from tvm_directconv.measure.peak import FmaPeak

from .contestants import (
    CONTESTANTS,
    FOR_LAYERS,
    FOR_LIBRARIES,
    FOR_NETWORKS,
    FOR_QUANTIZED_LAYERS,
    FOR_QUANTIZED_NETWORKS,
    PEERS,
    Contestant,
    Prepared,
)
from .drawn_operators import bench_operators
from .drawn_sizes import bench_sizes
from .figures import Comparison, Measurement
from .harness import bench_layers, bench_network, bench_networks
from .lift_layers import bench_lift
from .lift_result import LiftResult
from .results import LayerResult, NetworkResult, Result, merge
from .tuning import TuningBenchmark, bench_tuning

__all__ = [
    "CONTESTANTS",
    "FOR_LAYERS",
    "FOR_LIBRARIES",
    "FOR_NETWORKS",
    "FOR_QUANTIZED_LAYERS",
    "FOR_QUANTIZED_NETWORKS",
    "PEERS",
    "Comparison",
    "Contestant",
    "FmaPeak",
    "LayerResult",
    "LiftResult",
    "Measurement",
    "NetworkResult",
    "Prepared",
    "Result",
    "TuningBenchmark",
    "bench_layers",
    "bench_lift",
    "bench_network",
    "bench_networks",
    "bench_operators",
    "bench_sizes",
    "bench_tuning",
    "merge",
]
