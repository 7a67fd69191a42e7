package dev.promptdeck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PromptTest {
    private static final List<PromptMessage> MESSAGES =
            List.of(Message.of("system", "Help {{who}}"), new MessagePlaceholder("history"));

    @Test
    void aPromptWithoutMessagesIsAText() {
        Prompt text = new Prompt("a", "v1", "prod", null, "Hi {{who}}", List.of(), null, PromptSource.NETWORK);
        assertEquals(PromptType.TEXT, text.type());
        assertNull(text.messages());
        assertEquals(Map.of(), text.params());
        assertEquals(List.of(Message.of("user", "Hi you")), text.renderMessages(Map.of("who", "you"), null));
    }

    @Test
    void aBundledChatHasItsMessagesAsText() {
        Prompt chat = Prompt.bundled("a", MESSAGES);
        assertEquals(PromptType.CHAT, chat.type());
        assertEquals("system: Help {{who}}\n\nplaceholder: {{history}}", chat.content());
        List<Message> history = List.of(Message.tool("c1", "{{who}}"));
        assertEquals(
                List.of(Message.of("system", "Help Ann"), Message.tool("c1", "{{who}}")),
                chat.renderMessages(Map.of("who", "Ann"), Map.of("history", history)));
    }

    @Test
    void bytesAreRenderedInBase64AsByJackson() {
        Map<String, ?> values = Map.of("bytes", new byte[] {1, 2}, "list", List.of(new byte[] {3}));
        assertEquals("AQI= [\"Aw==\"]", Templates.render("{{bytes}} {{list}}", values, List.of()));
    }

    @Test
    void parametersAndArgumentsCannotBeModified() throws Exception {
        String json = "{\"key\":\"a\",\"version\":\"v1\",\"content\":\"x\",\"params\":{\"stop\":[\"a\"]},"
                + "\"messages\":[{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":"
                + "[{\"id\":\"c\",\"name\":\"f\",\"arguments\":{\"q\":[1]}}]}]}";
        Prompt prompt = PromptJson.read(Json.MAPPER.readTree(json), null, PromptSource.NETWORK);
        assertThrows(UnsupportedOperationException.class, () -> prompt.params().clear());
        ToolCall call = ((Message) prompt.messages().get(0)).toolCalls().get(0);
        assertEquals(Map.of("q", List.of(1)), call.arguments());
        assertThrows(UnsupportedOperationException.class, () -> ((Map<?, ?>) call.arguments()).clear());
    }
}
