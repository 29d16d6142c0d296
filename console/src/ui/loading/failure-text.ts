import { ApiError, ConnectionError } from '../../../../packages/client/src/client.ts';
import { uiTexts } from '../../texts/ui.ts';

/** The reasons that the API gave, as text. */
export function explained(error: Error): { title: string; lines: string[] } {
  // Browsers have words of their own for it: `Failed to fetch`.
  if (error instanceof ConnectionError) return { title: uiTexts.serviceNotReached, lines: [] };
  if (!(error instanceof ApiError)) return { title: error.message, lines: [] };
  const lines = error.details.map(({ path, message }) => (path ? `${path}: ${message}` : message));
  const title = error.title ?? uiTexts.serviceRespondedWith(error.status);
  return { title: titles[error.status] ?? title, lines };
}

/** The same in one line. */
export function failureText(error: Error): string {
  const { title, lines } = explained(error);
  return [title, ...lines].join('. ');
}

const titles: Record<number, string> = {
  401: uiTexts.notSignedInAnyMore,
  403: uiTexts.noPermissionToDoThis,
  404: uiTexts.notFound,
  429: uiTexts.tooManyRequests,
  502: uiTexts.upstreamServiceDidNotRespond,
  503: uiTexts.serviceIsBusy,
};

/** The message of each field that the API refused, by its path: `config.model`. */
export function fieldProblems(error: Error | null | undefined): Record<string, string> {
  if (!(error instanceof ApiError)) return {};
  return Object.fromEntries(error.details.flatMap(({ path, message }) => (path ? [[path, message]] : [])));
}
