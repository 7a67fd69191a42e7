import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Scope;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import java.util.concurrent.TimeUnit;

/** Sends an agent and a model call with the official exporter, compressed. */
class Exporter {
  public static void main(String[] args) {
    OtlpHttpSpanExporter exporter =
        OtlpHttpSpanExporter.builder()
            .setEndpoint(System.getenv("OTEL_EXPORTER_OTLP_ENDPOINT") + "/v1/traces")
            .addHeader("Authorization", "Bearer " + System.getenv("PROMPTDECK_TOKEN"))
            .setCompression("gzip")
            .build();
    SdkTracerProvider provider =
        SdkTracerProvider.builder()
            .setResource(Resource.create(Attributes.of(AttributeKey.stringKey("service.name"), "java-app")))
            .addSpanProcessor(BatchSpanProcessor.builder(exporter).build())
            .build();
    Tracer tracer = provider.get("test");
    Span agent =
        tracer
            .spanBuilder("invoke_agent planner")
            .setAttribute("gen_ai.operation.name", "invoke_agent")
            .setAttribute("gen_ai.agent.name", "planner")
            .startSpan();
    try (Scope scope = agent.makeCurrent()) {
      tracer
          .spanBuilder("chat gpt-4o")
          .setAttribute("gen_ai.operation.name", "chat")
          .setAttribute("gen_ai.provider.name", "openai")
          .setAttribute("gen_ai.request.model", "gpt-4o")
          .setAttribute("gen_ai.usage.input_tokens", 3L)
          .startSpan()
          .end();
    }
    agent.end();
    provider.shutdown().join(10, TimeUnit.SECONDS);
  }
}
