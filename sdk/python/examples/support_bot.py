"""A support bot that answers with the prompt `support/reply`, and uses new versions while it runs.

    pip install promptdeck
    export PROMPTDECK_TOKEN=...
    python support_bot.py

Publish `support/reply` with `Answer {{customer}} in one friendly sentence: {{question}}`, start the bot, and
publish another version meanwhile. Its runs are listed in the console under Runs.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from promptdeck import Client, ErrorEvent, NotFound, UpdateEvent, render_template

KEY = "support/reply"


@dataclass
class Answer:
    """A model's answer, with token counts."""

    text: str
    prompt_tokens: int
    output_tokens: int


def ask_model(prompt: str) -> Answer:
    """Placeholder for the model of your provider."""
    text = f"(a model would answer: {prompt})"
    return Answer(text, prompt_tokens=len(prompt.split()), output_tokens=len(text.split()))


def main() -> None:
    """Answer questions until an empty line or the end of the input."""
    with Client(
        server=os.environ.get("PROMPTDECK_SERVER"),
        app_name="support-bot",
        # Served if the service is down at the very first start.
        fallbacks={KEY: "Answer {{customer}} politely: {{question}}"},
    ) as client:
        client.on("update", show_update)
        client.on("error", show_error)
        client.watch([KEY])

        while question := read_question():
            try:
                prompt = client.get_prompt(KEY)
            except NotFound:
                print(f"Publish a prompt with the key {KEY} first.")
                continue
            text = render_template(prompt.content, {"customer": "Ada", "question": question}, prompt.variables)
            reported = client.wrap(
                provider="example",
                model=prompt.model or "example-model",
                ref_key=KEY,
                version=prompt.version,
                usage=lambda answer: {
                    "prompt_tokens": answer.prompt_tokens,
                    "output_tokens": answer.output_tokens,
                },
            )(ask_model)
            print(reported(text).text)


def read_question() -> str:
    """Return the next question; empty at the end of the input."""
    try:
        return input("Question: ")
    except EOFError:
        return ""


def show_update(event: UpdateEvent) -> None:
    """Show that another version is served."""
    print(f"\n{event.key} is {event.version or 'deleted'} now (it was {event.previous_version}).")


def show_error(event: ErrorEvent) -> None:
    """Show an error in the background, which does not stop the bot."""
    print(f"\n{event.error.code}: {event.error}")


if __name__ == "__main__":
    main()
