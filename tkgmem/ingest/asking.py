"""Questions to the language model: each is kept in the log with its answer, and a retry takes what was answered from there.

An answer that cannot be read is asked for once more, no oftener. No lock is held while a model thinks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from importlib import resources
from typing import Generic, TypeVar

from tkgmem.answers.calls import Spent, complete
from tkgmem.errors import BadResponse, LLMError, ProviderError
from tkgmem.protocols import LLM, Request, Response
from tkgmem.store import model_calls, write
from tkgmem.store.connection import Store
from tkgmem.store.names import searchable

Value = TypeVar("Value")

AT_ONCE = 16
"""How many questions a model is given together: what it answered to these is in the log before it is given more."""


@dataclass(frozen=True, slots=True)
class Desk:
    """Where questions are put: the model, the file that keeps the log (None keeps none), and the clock."""

    llm: LLM
    store: Store
    now: Callable[[], int]
    log: bool = True


@dataclass(frozen=True, slots=True)
class Question(Generic[Value]):
    """A request made for an episode (its row). read: takes the value out of the answer, or raises BadResponse.

    quotes: other episodes (rows) whose words the request repeats.
    """

    episode: int
    request: Request
    read: Callable[[str], Value]
    quotes: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer(Generic[Value]):
    """What a question brought: a value or the error of its last try, and what was spent on it."""

    value: Value | None
    error: ProviderError | None = None
    spent: Spent = field(default_factory=Spent)


def prompt(name: str) -> str:
    """The text of prompts/NAME.md."""
    return resources.files("tkgmem.ingest").joinpath("prompts", f"{name}.md").read_text(encoding="utf-8").rstrip("\n")


def ask(desk: Desk, questions: Sequence[Question[Value]], *, again: bool = True) -> list[Answer[Value]]:
    """The answer to each question, in order. again: ask once more for an answer that cannot be read."""
    answers = _settled(desk, questions)
    unread = [place for place, answer in enumerate(answers) if isinstance(answer.error, BadResponse)] if again else []
    second = _settled(desk, [_again(questions[place], answers[place].error) for place in unread])
    for place, answer in zip(unread, second, strict=True):
        answers[place] = replace(answer, spent=answers[place].spent + answer.spent)
    return answers


def _settled(desk: Desk, questions: Sequence[Question[Value]]) -> list[Answer[Value]]:
    """The answers that the log has, and those of the model to the other questions."""
    with desk.store.read() as db:
        said = [model_calls.answered(db, question.episode, question.request, desk.llm.name) for question in questions]
    answers: list[Answer[Value]] = [
        Answer(None) if text is None else _read(question, text) for question, text in zip(questions, said, strict=True)
    ]
    new = [place for place, text in enumerate(said) if text is None]
    for start in range(0, len(new), AT_ONCE):
        places = new[start : start + AT_ONCE]
        for place, answer in zip(places, _put(desk, [questions[place] for place in places]), strict=True):
            answers[place] = answer
    return answers


def _read(question: Question[Value], text: str) -> Answer[Value]:
    try:
        return Answer(question.read(text))
    except BadResponse as error:
        return Answer(None, error)


def _again(question: Question[Value], error: ProviderError | None) -> Question[Value]:
    reason = str(error).replace("{", "(").replace("}", ")")
    system = question.request.system + prompt("again").format(reason=reason)
    return replace(question, request=replace(question.request, system=system))


def _put(desk: Desk, questions: Sequence[Question[Value]]) -> list[Answer[Value]]:
    """Put the questions to the model, read the answers, keep both."""
    if not questions:
        return []
    responses = complete(desk.llm, [question.request for question in questions])
    answers: list[Answer[Value]] = []
    for question, response in zip(questions, responses, strict=True):
        if isinstance(response, LLMError):
            answers.append(Answer(None, response))
            continue
        text = searchable(response.text)  # what cannot be kept must not be read either, or a replay would differ
        spent = Spent(1, response.prompt_tokens, response.completion_tokens, response.cost)
        answers.append(replace(_read(question, text), spent=spent))
    if desk.log:
        _keep(desk, zip(questions, responses, answers, strict=True))
    return answers


def _keep(desk: Desk, asked: Iterable[tuple[Question[Value], Response | LLMError, Answer[Value]]]) -> None:
    with desk.store.write() as db:
        at = write.now(db, desk.now())
        for question, response, answer in asked:
            if isinstance(response, LLMError) or not write.is_there(db, question.episode):
                continue  # it may have been forgotten meanwhile
            model_calls.insert(
                db,
                question.episode,
                question.request,
                replace(response, text=searchable(response.text)),
                model=desk.llm.name,
                usable=answer.value is not None,
                quotes=[quoted for quoted in question.quotes if write.is_there(db, quoted)],
                at=at,
            )
