"""A support bot that answers from the prompt `support/reply`, and changes its manner while it runs.

    pip install promptdeck
    export PROMPTDECK_TOKEN=...
    python support_bot.py

Publish `support/reply` with `Answer {{customer}} in one friendly sentence: {{question}}`, start this, and publish
another version meanwhile. Its runs are listed in the console under Runs.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from promptdeck import Client, ErrorEvent, NotFound, UpdateEvent, render_template

KEY = "support/reply"


@dataclass
class Answer:
    """What a model answers, and what that took."""

    text: str
    prompt_tokens: int
    output_tokens: int


def ask_model(prompt: str) -> Answer:
    """Stands in for the model of your provider."""
    text = f"(a model would answer: {prompt})"
    return Answer(text, prompt_tokens=len(prompt.split()), output_tokens=len(text.split()))


def main() -> None:
    """Ask until an empty line."""
    with Client(
        server=os.environ.get("PROMPTDECK_SERVER"),
        app_name="support-bot",
        # For the very first start without the service.
        fallbacks={KEY: "Answer {{customer}} politely: {{question}}"},
    ) as client:
        client.on("update", show_update)
        client.on("error", show_error)
        client.watch([KEY])

        while question := input("Question: "):
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


def show_update(event: UpdateEvent) -> None:
    """Another version is served from now on."""
    print(f"\n{event.key} is {event.version or 'deleted'} now (it was {event.previous_version}).")


def show_error(event: ErrorEvent) -> None:
    """Nothing that stops the bot, but somebody should know."""
    print(f"\n{event.error.code}: {event.error}")


if __name__ == "__main__":
    main()
