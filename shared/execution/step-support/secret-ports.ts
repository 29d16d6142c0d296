import type { A2aPort } from '../../adapters/ports/a2a-port.ts';
import type { McpPort } from '../../adapters/ports/mcp-port.ts';
import type { ModelEvent, ModelPort } from '../../adapters/ports/model-port.ts';
import type { Ports } from '../../adapters/ports/ports.ts';
import type { Redactor } from '../../core/redaction/redactor.ts';

/** How to redact each port in a run that references secrets. */
export type PortRedactions<P> = {
  readonly [Name in keyof P]: (port: P[Name], redactor: Redactor) => P[Name];
};

const unchanged = <P>(port: P) => port;

/** Exhaustive: a new port does not compile until someone decides here whether its responses may contain a secret. */
export const portRedactions = {
  fetch: redactedFetch,
  model: redactedModel,
  mcp: redactedMcp,
  a2a: redactedA2a,
  // Their responses are not controlled from outside, and the output of every step is redacted too.
  now: unchanged,
  secrets: unchanged,
  embed: unchanged,
  searchAccount: unchanged,
  sandbox: unchanged,
  records: unchanged,
  vectors: unchanged,
  memory: unchanged,
  assets: unchanged,
  messages: unchanged,
  tools: unchanged,
  flows: unchanged,
  agents: unchanged,
  waits: unchanged,
} satisfies PortRedactions<Ports>;

/** Redacts responses before a step sees them: a step might cut a text in the middle of a value. */
export const redactedPorts = (ports: Ports, redactor: Redactor): Ports =>
  Object.fromEntries(
    Object.entries(portRedactions).map(([name, redact]) => [
      name,
      redact(ports[name as keyof Ports] as never, redactor),
    ]),
  ) as unknown as Ports;

function redactedFetch(fetch: Ports['fetch'], { text, json }: Redactor): Ports['fetch'] {
  return async (request) => {
    const hasSecret = request.body !== undefined && text(request.body) !== request.body;
    const answer = await fetch({ ...request, ...(hasSecret && { sameOriginBody: true }) });
    const clean = text(answer.text);
    return {
      ...answer,
      url: text(answer.url),
      headers: json(answer.headers),
      ...(clean !== answer.text && { text: clean, bytes: Buffer.from(clean) }),
    };
  };
}

function redactedMcp({ listTools, callTool }: McpPort, { json }: Redactor): McpPort {
  return {
    listTools: async (request) => json(await listTools(request)),
    callTool: async (call) => json(await callTool(call)),
  };
}

function redactedA2a({ send }: A2aPort, { json, stream }: Redactor): A2aPort {
  return {
    async *send(request) {
      const pieces = stream();
      for await (const event of send(request)) {
        const isDelta = event.type === 'text-delta';
        const isLast = event.type === 'end' || event.type === 'failure';
        const text = isDelta ? pieces.push(event.text) : isLast ? pieces.end() : '';
        if (text !== '') yield { type: 'text-delta', text };
        if (!isDelta) yield json(event);
      }
    },
  };
}

/** Text that may be the beginning of a value is held back until the next piece or the end. */
function redactedModel({ stream, ...names }: ModelPort, redactor: Redactor): ModelPort {
  return {
    ...names,
    async *stream(request) {
      const texts = deltaRedactor(redactor);
      for await (const event of stream(request)) {
        if (isDelta(event)) yield* texts.push(event);
        else {
          if (event.type === 'finish') yield* texts.end();
          if (event.type === 'tool-call') yield* texts.end(event.id);
          yield redactor.json(event);
        }
      }
    },
  };
}

type Delta = Extract<ModelEvent, { type: `${string}-delta` }>;
const isDelta = (event: ModelEvent): event is Delta => event.type.endsWith('-delta');

/** The text, the reasoning and the input of each tool call are separate streams. */
function deltaRedactor(redactor: Redactor) {
  const streams = new Map<string, { first: Delta; pieces: ReturnType<Redactor['stream']> }>();
  const withText = (event: Delta, text: string): Delta[] => (text === '' ? [] : [{ ...event, text }]);
  return {
    push(event: Delta): Delta[] {
      const name = 'id' in event ? event.id : event.type;
      const stream = streams.get(name) ?? { first: event, pieces: redactor.stream() };
      streams.set(name, stream);
      return withText(event, stream.pieces.push(event.text));
    },
    /** @returns the held-back text of all streams, or of one tool call. */
    end(id?: string): Delta[] {
      const ended = [...streams].filter(([name]) => id === undefined || name === id);
      for (const [name] of ended) streams.delete(name);
      return ended.flatMap(([, { first, pieces }]) => withText(first, pieces.end()));
    },
  };
}
