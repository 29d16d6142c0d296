import { Ajv2020 } from 'ajv/dist/2020.js';
import { groups } from '../../../functions/index.ts';
import type { AnyEndpoint } from '../../../shared/platform/http/endpoint.ts';
import { openApi, toDocumentedPath } from '../../../shared/platform/http/openapi.ts';

const document = openApi(groups);
const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema(document, 'api');

interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

/** Why a response is not as the document of the API describes it; undefined if it is. */
export function whyNotDescribed(
  endpoint: AnyEndpoint,
  { status, headers, text }: Answer,
): string | undefined {
  const { responses } = operationOf(endpoint);
  const described = responses[status];
  if (!described) return `${status} is not described`;
  const [mediaType = ''] = (headers.get('content-type') ?? '').split(';');
  if (!described.content) return text === '' ? undefined : `${status} has a body`;
  if (!described.content[mediaType]) return `${status} is ${mediaType}, with the body ${text.slice(0, 200)}`;
  const steps = [toDocumentedPath(endpoint), endpoint.method.toLowerCase(), 'responses', status, 'content'];
  const pointer = ['paths', ...steps, mediaType, 'schema'].map(escaped).join('/');
  const validate = ajv.compile({ $ref: `api#/${pointer}` });
  return validate(JSON.parse(text)) ? undefined : `${status} has another body: ${text.slice(0, 200)}`;
}

interface Operation {
  responses: Record<number, { content?: Record<string, unknown> }>;
}

const operationOf = (endpoint: AnyEndpoint) =>
  (document.paths[toDocumentedPath(endpoint)] as Record<string, Operation>)[
    endpoint.method.toLowerCase()
  ] as Operation;

const escaped = (step: string | number) =>
  encodeURIComponent(String(step).replaceAll('~', '~0').replaceAll('/', '~1'));
