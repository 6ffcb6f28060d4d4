"""torch.compile(model, backend="tt")."""

import torch._dynamo.config

from .._engine import cache_info
from .backend import tt

# torch's tracer leaves LSTM, GRU and RNN modules to eager execution unless this is set; the backend unrolls them over
# time by torch's own decompositions.
torch._dynamo.config.allow_rnn = True
# A profiler annotation around torch's own part of a call; it would take a fifth of the time of a small call.
if hasattr(torch._dynamo.config, "record_runtime_overhead"):
    torch._dynamo.config.record_runtime_overhead = False

__all__ = ["cache_info", "tt"]
