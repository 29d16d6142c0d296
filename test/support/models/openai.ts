import OpenAI from 'openai';
import type { ChatCompletionChunk } from 'openai/resources/chat/completions';
import { stack } from '../stack/stack.ts';

/** OpenAI's own package, which calls the stack. It repeats nothing, so that a test sees what one request does. */
export const openAi = (apiKey: string, more: object = {}) =>
  new OpenAI({ apiKey, baseURL: `${stack().url}/v1/openai`, maxRetries: 0, ...more });

/** A model of the stack's model server. */
export const served = (name: string) => `generic-openai/${name}`;

export const userMessages = (content: string) => [{ role: 'user' as const, content }];

export const chunksText = (chunks: readonly ChatCompletionChunk[]): string =>
  chunks.map(({ choices: [choice] }) => choice?.delta.content ?? '').join('');

/** The error of a request, as the package throws it. */
export const requestError = (request: Promise<unknown>) =>
  request.then(
    () => {
      throw new Error('The request did not fail');
    },
    ({ status, code, param, type, message }: InstanceType<typeof OpenAI.APIError>) => ({
      status,
      code,
      param,
      type,
      message,
    }),
  );
