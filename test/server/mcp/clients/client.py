"""Lists, gets and runs prompts with the official Python client. Prints one line of JSON."""

import asyncio
import json
import os

import httpx2
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client


async def main() -> None:
    headers = {"authorization": f"Bearer {os.environ['PROMPTDECK_TOKEN']}"}
    async with httpx2.AsyncClient(headers=headers, timeout=30) as http:
        transport = streamable_http_client(os.environ["MCP_URL"], http_client=http)
        async with Client(transport) as client:
            prompts = await client.list_prompts()
            prompt = await client.get_prompt("default/prod/billing/greet", {"who": "Ada"})
            run = await client.call_tool("run_prompt", {"content": "Say {{word}}", "variables": {"word": "hi"}})
            print(
                json.dumps(
                    {
                        "prompts": [each.name for each in prompts.prompts],
                        "text": prompt.messages[0].content.text,
                        "run": json.loads(run.content[0].text)["run"]["status"],
                        "is_error": run.is_error,
                    }
                )
            )


asyncio.run(main())
