import { ResponseError } from '../../../functions/client.ts';

interface Detail {
  path?: string;
  message: string;
}

/** The reasons that the API gave, as text. */
export function explained(error: Error): { title: string; lines: string[] } {
  if (!(error instanceof ResponseError)) return { title: error.message, lines: [] };
  const { status, body } = error;
  const { error: title, details } = (typeof body === 'object' && body !== null ? body : {}) as {
    error?: string;
    details?: string | Detail[];
  };
  const lines = Array.isArray(details)
    ? details.map(({ path, message }) => (path ? `${path}: ${message}` : message))
    : details
      ? [details]
      : [];
  return { title: titles[status] ?? title ?? `The service responded with ${status}`, lines };
}

const titles: Record<number, string> = {
  401: 'You are not signed in any more. Reload the page to sign in again.',
  403: 'Your session or key may not do this',
  404: 'This does not exist, or it was deleted',
  429: 'Too many requests. Wait a moment',
  502: 'The service could not reach another one',
  503: 'The service is busy. Try again in a moment',
};

/** The message of each field that the API refused, by its path: `config.model`. */
export function problemsOf(error: Error | null | undefined): Record<string, string> {
  if (!(error instanceof ResponseError)) return {};
  const { details } = error.body as { details?: unknown };
  if (!Array.isArray(details)) return {};
  return Object.fromEntries(
    (details as Detail[]).flatMap(({ path, message }) => (path ? [[path, message] as const] : [])),
  );
}
