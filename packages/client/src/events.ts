import { createParser } from 'eventsource-parser';

/** The data of each server-sent event, parsed. Leaving the loop closes the connection. */
export async function* eventsIn(body: ReadableStream<Uint8Array>): AsyncGenerator<unknown, void, undefined> {
  const arrived: unknown[] = [];
  const parser = createParser({
    onEvent({ data }) {
      // Streams in the form of OpenAI end with it.
      if (data !== '[DONE]') arrived.push(JSON.parse(data));
    },
  });
  const decoder = new TextDecoder();
  // Not every browser can iterate over a stream.
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
      yield* arrived.splice(0);
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
