import type { Redactor } from '../secrets/redactor.ts';
import type { ModelRequest, Ports } from './ports.ts';

/** Ports whose answers have no values in them before a step sees them: it may cut a text in the middle of one. */
export function redactedPorts(ports: Ports, { text, json, stream }: Redactor): Ports {
  return {
    ...ports,
    async fetch(request) {
      const hasSecret = request.body !== undefined && text(request.body) !== request.body;
      const answer = await ports.fetch({ ...request, ...(hasSecret && { bodyStays: true }) });
      const clean = text(answer.text);
      return {
        ...answer,
        url: text(answer.url),
        headers: json(answer.headers),
        ...(clean !== answer.text && { text: clean, bytes: Buffer.from(clean) }),
      };
    },
    async model({ onText, ...request }: ModelRequest) {
      const pieces = stream();
      const tell = async (piece: string) => {
        if (piece) await onText?.(piece);
      };
      const listening = onText && { onText: (piece: string) => tell(pieces.push(piece)) };
      const answer = await ports.model({ ...request, ...listening });
      await tell(pieces.end());
      return { ...answer, text: text(answer.text) };
    },
  };
}
