import { fittingValue, schemaAskedFor } from '../../../examples/json-of-schema.ts';
import { type ChatRequest, lastText, startModelStandIn } from '../../../examples/model-stand-in.ts';
import type { LocalModel } from './find-local-model.ts';

export const standInId = 'stand-in';
const mark = 'The stand-in wrote this, not a language model.';
const quotedMost = 200;

/** Says in each answer that no model wrote it. It calls no tools. */
export async function startStandIn(): Promise<LocalModel> {
  const { url, close } = await startModelStandIn({ answer: standInAnswer, pieceDelayMs: 15 });
  return { modelId: standInId, displayName: 'Stand-in (not a language model)', baseUrl: url, close };
}

export function standInAnswer(request: ChatRequest): string {
  const schema = schemaAskedFor(request);
  if (schema) return JSON.stringify(fittingValue(schema, mark));
  if (request.response_format?.type.startsWith('json')) return JSON.stringify({ note: mark });
  const prompt = lastText(request).replaceAll(/\s+/g, ' ').trim();
  const quoted = prompt.length > quotedMost ? `${prompt.slice(0, quotedMost)}…` : prompt;
  return `${mark} It was asked: “${quoted}”. Connect a model to get an answer.`;
}
