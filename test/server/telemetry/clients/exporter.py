"""Sends an agent and a model call with the official exporter, which reads its address from the environment."""

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

provider = TracerProvider(resource=Resource.create({"service.name": "python-app"}))
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
tracer = provider.get_tracer("test")
agent = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "planner"}
call = {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "openai",
    "gen_ai.request.model": "gpt-4o",
    "gen_ai.usage.input_tokens": 3,
}
with tracer.start_as_current_span("invoke_agent planner", attributes=agent):
    with tracer.start_as_current_span("chat gpt-4o", attributes=call):
        pass
provider.shutdown()
