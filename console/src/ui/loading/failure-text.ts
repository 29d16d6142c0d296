import { ResponseError } from '../../../../functions/client.ts';
import { uiTexts } from '../../texts/ui.ts';
import { isObject } from '../values/schema.ts';

interface Detail {
  path?: string;
  message: string;
}

/** The reasons that the API gave, as text. */
export function explained(error: Error): { title: string; lines: string[] } {
  if (!(error instanceof ResponseError)) return { title: error.message, lines: [] };
  const { error: given, details } = membersOf(error);
  const lines = detailsOf(details).map(({ path, message }) => (path ? `${path}: ${message}` : message));
  const title = typeof given === 'string' ? given : uiTexts.serviceRespondedWith(error.status);
  return { title: titles[error.status] ?? title, lines };
}

/** The same in one line. */
export function explanationOf(error: Error): string {
  const { title, lines } = explained(error);
  return [title, ...lines].join('. ');
}

/** What is between the API and the browser answers in its own way, or not at all. */
const membersOf = ({ body }: ResponseError) => (isObject(body) ? body : {});

function detailsOf(details: unknown): Detail[] {
  if (typeof details === 'string') return details === '' ? [] : [{ message: details }];
  return Array.isArray(details) ? details.filter(isDetail) : [];
}

const isDetail = (value: unknown): value is Detail =>
  isObject(value) && typeof value.message === 'string' && ['string', 'undefined'].includes(typeof value.path);

const titles: Record<number, string> = {
  401: uiTexts.notSignedInAnyMore,
  403: uiTexts.noPermissionToDoThis,
  404: uiTexts.notFound,
  429: uiTexts.tooManyRequests,
  502: uiTexts.upstreamServiceDidNotRespond,
  503: uiTexts.serviceIsBusy,
};

/** The message of each field that the API refused, by its path: `config.model`. */
export function problemsOf(error: Error | null | undefined): Record<string, string> {
  if (!(error instanceof ResponseError)) return {};
  const found = detailsOf(membersOf(error).details);
  return Object.fromEntries(found.flatMap(({ path, message }) => (path ? [[path, message] as const] : [])));
}
