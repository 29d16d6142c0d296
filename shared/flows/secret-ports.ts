import type { Redactor } from '../secrets/redactor.ts';
import type { HttpRequest, ModelRequest, Ports } from './ports.ts';

/** Ports whose answers have no values in them before a step sees them: it may cut a text in the middle of one. */
export function redactedPorts(
  ports: Ports,
  { text, json, stream }: Redactor,
  values: ReadonlyMap<string, string>,
): Ports {
  const told = new Map<string, Set<string>>();

  /** With the values of the marks that an answer's links had, where that origin was told them before. */
  function restored(request: HttpRequest): HttpRequest {
    const origin = originOf(request.url);
    const url = request.url.replace(mark, (all, key: string) => {
      const value = told.get(origin)?.has(key) ? values.get(key) : undefined;
      return value === undefined ? all : encodeURIComponent(value);
    });
    const { headers, body = '' } = request;
    const cleanBody = text(body);
    const sent = [text(url), JSON.stringify(json(headers)), cleanBody].join('\n');
    const keys = [...sent.matchAll(mark)].map(([, key = '']) => key);
    told.set(origin, new Set([...(told.get(origin) ?? []), ...keys]));
    return { ...request, url, ...(cleanBody !== body && { bodyStays: true }) };
  }

  return {
    ...ports,
    async fetch(request) {
      const answer = await ports.fetch(restored(request));
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
      const tell = (piece: string) => piece && onText?.(piece);
      const listening = onText && { onText: (piece: string) => void tell(pieces.push(piece)) };
      const answer = await ports.model({ ...request, ...listening });
      tell(pieces.end());
      return { ...answer, text: text(answer.text) };
    },
  };
}

/** As the redactor writes it, and as a URL does. */
const mark = /(?:\[|%5B)secret(?::|%3A)([A-Z][A-Z0-9_]*)(?:\]|%5D)/gi;
const originOf = (url: string) => (URL.canParse(url) ? new URL(url).origin : '');
