"""Which column is what, and why."""

from __future__ import annotations

import pytest

from lindy.data import find_columns, read_table
from lindy.errors import DataError


def table(folder, *lines, name="table.csv"):
    path = folder / name
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return read_table(path)


@pytest.mark.parametrize(
    ("header", "text", "label"),
    [
        ("text,label", "text", "label"),
        ("label,text", "text", "label"),
        ("Review,Sentiment", "Review", "Sentiment"),
        ("Category,Message", "Message", "Category"),
        ("id,tweet_text,airline_sentiment,label_confidence", "tweet_text", "airline_sentiment"),
        ("reviewerID,asin,reviewText,overall,summary", "reviewText", "overall"),
        ("review,reply_text,rating", "review", "rating"),
        ("sentence,label,label_text", "sentence", "label"),
        ("title,body,tags", "body", "tags"),
        ("target,ids,TEXT ", "TEXT ", "target"),
        ("y,documents", "documents", "y"),
        ("text,class,label", "text", "label"),
        ("rating,topic,comment", "comment", "topic"),
        ("text_id,content,class_id,class", "content", "class"),
    ],
)
def test_by_name(tmp_path, header, text, label):
    names = header.split(",")
    found = find_columns(table(tmp_path, header, ",".join(f"value {i}" for i in range(len(names)))))
    assert (found.text, found.label) == (text, label)
    assert found.why == f"text from column {text!r} (by its name), label from column {label!r} (by its name)"


def test_by_content(tmp_path):
    lines = [f"{'ham' if i % 3 else 'spam'},this is the message number {i}" for i in range(30)]
    found = find_columns(table(tmp_path, "v1,v2", *lines))
    assert (found.text, found.label) == ("v2", "v1")
    assert found.why == (
        "text from column 'v2' (the longest values, 29 bytes on average), "
        "label from column 'v1' (2 distinct values in 30 rows)"
    )


def test_by_content_among_more_columns(tmp_path):
    lines = [f"{i},news of the day {i},{i % 4},en" for i in range(20)]
    found = find_columns(table(tmp_path, "number,what,kind,where", *lines))
    assert (found.text, found.label) == ("what", "kind")


def test_one_by_name_and_the_other_by_content(tmp_path):
    lines = [f"text number {i},{'ab'[i % 2]}" for i in range(10)]
    found = find_columns(table(tmp_path, "text,v2", *lines))
    assert found.why.endswith("label from column 'v2' (2 distinct values in 10 rows)")
    found = find_columns(table(tmp_path, "v1,label", *lines))
    assert found.why.startswith("text from column 'v1' (the only other column)")


def test_a_small_table_of_one_class(tmp_path):
    found = find_columns(table(tmp_path, "a,b", "some words,x", "more words,x"))
    assert (found.text, found.label) == ("a", "b")


def test_what_is_asked_for_is_taken(tmp_path):
    lines = table(tmp_path, "text,label,title,genre", "a,b,c,d")
    found = find_columns(lines, text="title", label="genre")
    assert (found.text, found.label) == ("title", "genre")
    assert found.why == "text from column 'title' (as asked), label from column 'genre' (as asked)"
    assert find_columns(lines, text="label").label == "genre"
    assert find_columns(lines, label="text").text == "title"


def test_without_a_label(tmp_path):
    assert find_columns(table(tmp_path, "text,label", "a,b"), need_label=False).label is None
    assert (
        find_columns(table(tmp_path, "text,label", "a,b"), label="label", need_label=False).label == "label"
    )
    found = find_columns(table(tmp_path, "anything", "a"), need_label=False)
    assert (found.text, found.label) == ("anything", None)
    assert found.why == "text from column 'anything' (the only column)"
    assert find_columns(table(tmp_path, "a,b", "1,long words"), need_label=False).text == "b"


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("anything", "the only column"),
        ("my book", "the only column; if that is a text, the file has no header: add `format='lines'`"),
        (
            "what I think of this book",
            "the only column; if that is a text, the file has no header: add `format='lines'`",
        ),
    ],
)
def test_the_only_column_may_be_the_first_text(tmp_path, name, why):
    found = find_columns(table(tmp_path, name, "a"), need_label=False)
    assert (found.text, found.why) == (name, f"text from column {name!r} ({why})")
    found = find_columns(table(tmp_path, f"{name},v2", "a,x"), label="v2")
    assert found.why.startswith(f"text from column {name!r} (the only other column), ")


def test_a_label_has_few_distinct_values(tmp_path):
    def label(*values, more=""):
        header = f"text,v2{',v3' if more else ''}"
        return find_columns(table(tmp_path, header, *(f"word {i},{v}{more}" for i, v in enumerate(values))))

    assert label(*"aabbccddee").why.endswith("label from column 'v2' (5 distinct values in 10 rows)")
    assert label("a", "a").why.endswith("label from column 'v2' (1 distinct value in 2 rows)")
    assert label(*"aabb", more=",same").label == "v2"
    for values in ("aabbccddef", "aabc"):
        with pytest.raises(DataError, match="no column looks like a label: 'v2'"):
            label(*values)


def test_columns_without_texts(tmp_path):
    lists = ['{"v1": ["a"], "v2": ["b"]}'] * 3
    with pytest.raises(DataError, match="no column holds text") as caught:
        find_columns(table(tmp_path, *lists, name="lists.jsonl"), need_label=False)
    assert "`text=`" in caught.value.hint
    nulls = ['{"v1": null, "v2": "x"}', '{"v1": null, "v2": ""}', '{"v1": null, "v2": ""}']
    assert find_columns(table(tmp_path, *nulls, name="nulls.jsonl"), need_label=False).text == "v2"


def test_nested_columns_are_no_candidates(tmp_path):
    rows = [f'{{"v1": ["a long list of words"], "v2": "word {i}", "v3": {i % 2}}}' for i in range(8)]
    found = find_columns(table(tmp_path, *rows, name="table.jsonl"))
    assert (found.text, found.label) == ("v2", "v3")


@pytest.mark.parametrize(
    ("lines", "options", "message", "hint"),
    [
        (
            ["text,label", "a,b"],
            {"text": "txt"},
            "no column 'txt'",
            "Did you mean 'text'? The columns are: 'text', 'label'.",
        ),
        (["text,label", "a,b"], {"label": "LABEL"}, "no column 'LABEL'", "Did you mean 'label'?"),
        (["text, label", "a,b"], {"label": "label"}, "no column 'label'", "Did you mean ' label'?"),
        (["text,label", "a,b"], {"label": "zzz"}, "no column 'zzz'", "The columns are: 'text', 'label'."),
        (
            ["text,label", "a,b"],
            {"text": "text", "label": "text"},
            "both text and label",
            "`text=` and `label=`",
        ),
        (["text", "a"], {}, "there is only the column 'text'", "separated by commas"),
        (
            ["text,x,y2", "a,1,3", "b,2,4", "c,1,3", "d,2,4"],
            {},
            "more than one column looks like a label: 'x' (2 distinct values), 'y2' (2 distinct values)",
            "`label=`",
        ),
        (
            ["text,x", *(f"word {i},{i}" for i in range(9))],
            {},
            "no column looks like a label: 'x' (9",
            "header line",
        ),
        (
            ["I loved it,pos", "Dull,neg", "Great fun,pos"],
            {},
            "looks like data, not like a header: 'pos' is also",
            "text,label",
        ),
        (
            ["I would read it again and again,a"],
            {"need_label": False},
            "is too long for a column name",
            "`text=`",
        ),
    ],
)
def test_errors(tmp_path, lines, options, message, hint):
    data = table(tmp_path, *lines) if len(lines) > 1 else table(tmp_path, *lines, "x,y")
    with pytest.raises(DataError) as caught:
        find_columns(data, **options)
    assert str(caught.value).startswith(str(tmp_path / "table.csv"))
    assert message in str(caught.value)
    assert hint in caught.value.hint


def test_no_column_of_that_name_by_table(tmp_path):
    with pytest.raises(DataError, match="no column 'lable'") as caught:
        table(tmp_path, "text,label", "a,b").column("lable")
    assert "Did you mean 'label'?" in caught.value.hint
