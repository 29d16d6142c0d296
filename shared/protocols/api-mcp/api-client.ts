import * as z from 'zod';
import { parseExact } from '../../core/json/exact-json.ts';

/** More is cut: a model reads all of it. */
const charactersMax = 100_000;

interface ApiAnswer {
  status: number;
  /** JSON if it is some, else text. null if there is none. */
  body: unknown;
  /** Whether the body was longer. */
  isCut: boolean;
}

export interface ApiRequest {
  method: string;
  path: string;
  body?: unknown;
  idempotencyKey?: string | undefined;
}

/** Calls the API of this deployment with the credential of the caller, who gets what that may do, and no more. */
export interface ApiClient {
  send: (request: ApiRequest, signal: AbortSignal) => Promise<ApiAnswer>;
}

/** @param relay Makes the headers that carry the address of the caller. */
export const apiClient = (
  baseUrl: string,
  authorization: string,
  relay: () => Promise<Record<string, string>>,
): ApiClient => ({
  async send({ method, path, body, idempotencyKey }, signal) {
    const response = await fetch(baseUrl + path, {
      method,
      signal,
      redirect: 'manual',
      headers: {
        authorization,
        ...(await relay()),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const { text, isCut } = await readText(response, charactersMax);
    const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '');
    // A 204 says that it is JSON too.
    const parsed = isJson && !isCut ? parseExact(text || 'null') : text;
    return { status: response.status, body: parsed, isCut };
  },
});

/** Reads no more than that, also of a stream that has no end. */
async function readText({ body }: Response, max: number): Promise<{ text: string; isCut: boolean }> {
  let text = '';
  if (body) {
    for await (const part of body.pipeThrough(new TextDecoderStream())) {
      text += part;
      if (text.length > max) return { text: text.slice(0, max), isCut: true };
    }
  }
  return { text, isCut: false };
}

/** The parts of the API document that the tools read. */
const Operation = z.object({
  operationId: z.string(),
  summary: z.string().default(''),
  description: z.string().default(''),
  security: z.array(z.record(z.string(), z.unknown())).optional(),
  'x-destructive': z.boolean().default(false),
  parameters: z
    .array(
      z.object({
        name: z.string(),
        in: z.enum(['path', 'query', 'header']),
        required: z.boolean().default(false),
        description: z.string().optional(),
        schema: z.record(z.string(), z.unknown()),
      }),
    )
    .default([]),
  requestBody: z
    .object({
      required: z.boolean().default(false),
      content: z.record(z.string(), z.object({ schema: z.record(z.string(), z.unknown()) })),
    })
    .optional(),
  responses: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
});

export const ApiDocument = z.object({
  paths: z.record(z.string(), z.record(z.string(), Operation)),
  components: z.object({ schemas: z.record(z.string(), z.record(z.string(), z.unknown())) }),
});
export type ApiDocument = z.infer<typeof ApiDocument>;
