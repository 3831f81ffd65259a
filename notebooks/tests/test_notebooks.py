"""Protects the notebooks: they run from top to bottom on what draughtlab
writes, say so where they cannot, and are kept without outputs."""

import nbformat
import pytest
from execute import NOTEBOOKS, execute, pictures
from nbclient.exceptions import CellExecutionError
from strip import stripped


def name(path):
    return path.stem


def test_there_are_two():
    assert list(map(name, NOTEBOOKS)) == ["dataset_tour", "draw_rates"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=name)
def test_runs_on_a_small_dataset(path, run):
    notebook = execute(path, run)
    code = [c for c in notebook.cells if c.cell_type == "code"]
    assert all(c.execution_count for c in code)
    warnings = [o.text for c in code for o in c.outputs if o.get("name") == "stderr"]
    assert not warnings, warnings
    plots = sum("plt.show()" in c.source for c in code)
    assert len(list(pictures(notebook))) == plots > 0


def test_says_what_to_do_without_a_dataset(tmp_path):
    with pytest.raises(CellExecutionError, match="no dataset here: run `make run` first"):
        execute(NOTEBOOKS[0], tmp_path)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=name)
def test_is_kept_without_outputs(path):
    text = path.read_text(encoding="utf-8")
    assert text == stripped(text), f"run: python notebooks/strip.py notebooks/{path.name}"


def test_strip_takes_everything_away_that_running_adds():
    cell = nbformat.v4.new_code_cell("1 + 1", id="a", execution_count=3, metadata={"collapsed": True})
    cell.outputs = [nbformat.v4.new_output("stream", text="2")]
    notebook = nbformat.v4.new_notebook(cells=[cell], metadata={"language_info": {"name": "python", "version": "3.99"}})
    text = stripped(nbformat.writes(notebook))
    kept = nbformat.reads(text, as_version=4).cells[0]
    assert (kept.source, kept.outputs, kept.execution_count, dict(kept.metadata)) == ("1 + 1", [], None, {})
    assert "3.99" not in text
