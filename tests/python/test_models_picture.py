"""scripts/models_picture.py draws what bench/bench_models.py writes."""

import json
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts/models_picture.py"


def test_bars_are_as_long_as_times(tmp_path):
    rows = [{"model": "a<b", "type": kind, "batch": 1, "threads": threads, "min": {"tilewright": 2.0, "eager": 4.0, "onnx": 100.0}}
            for kind in ("f32", "bf16") for threads in (1, 2)]
    (tmp_path / "rows.json").write_text(json.dumps(rows))
    subprocess.run([sys.executable, SCRIPT, tmp_path / "rows.json", tmp_path / "p.svg"], check=True)
    svg = ElementTree.parse(tmp_path / "p.svg").getroot()
    space = "{http://www.w3.org/2000/svg}"
    texts = [t.text for t in svg.iter(space + "text")]
    assert texts.count("a<b") == 4 and {"f32, batch 1, 1 thread", "bf16, batch 1, 2 threads", "Tilewright", "onnxruntime"} <= set(texts)
    assert texts.count("100 ms (50.0 x)") == 4
    bars = [float(r.get("width")) for r in svg.iter(space + "rect") if r.get("height") == "8"]
    assert bars == [60.0, 120.0, 300.0] * 4  # beyond five times the fastest a bar ends
    right = [float(r.get("x")) + float(r.get("width")) for r in svg.iter(space + "rect") if r.get("height") == "8"]
    assert max(right) < float(svg.get("width"))
