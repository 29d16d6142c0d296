import type { ModelRequest, Ports } from '../../adapters/ports.ts';
import type { Redactor } from '../../core/redaction/redactor.ts';

/** How each port is redacted in a run that names secrets. */
export type PortRedactions<P> = {
  readonly [Name in keyof P]: (port: P[Name], redactor: Redactor) => P[Name];
};

const unchanged = <P>(port: P) => port;

/** A port that is added does not compile until it is decided here whether its responses may hold a value. */
export const portRedactions = {
  fetch: redactedFetch,
  model: redactedModel,
  // Nothing outside chooses what these return, and the output of every step is redacted too.
  now: unchanged,
  secrets: unchanged,
  embed: unchanged,
  searchAccount: unchanged,
  sandbox: unchanged,
  records: unchanged,
  vectors: unchanged,
  assets: unchanged,
  messages: unchanged,
} satisfies PortRedactions<Ports>;

/** Ports whose responses hold no values of secrets when a step sees them: it may cut a text in the middle of one. */
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
    const answer = await fetch({ ...request, ...(hasSecret && { bodyStays: true }) });
    const clean = text(answer.text);
    return {
      ...answer,
      url: text(answer.url),
      headers: json(answer.headers),
      ...(clean !== answer.text && { text: clean, bytes: Buffer.from(clean) }),
    };
  };
}

function redactedModel(model: Ports['model'], { text, stream }: Redactor): Ports['model'] {
  return async ({ onText, ...request }: ModelRequest) => {
    const pieces = stream();
    const tell = async (piece: string) => {
      if (piece) await onText?.(piece);
    };
    const listening = onText && { onText: (piece: string) => tell(pieces.push(piece)) };
    const answer = await model({ ...request, ...listening });
    await tell(pieces.end());
    return { ...answer, text: text(answer.text) };
  };
}
