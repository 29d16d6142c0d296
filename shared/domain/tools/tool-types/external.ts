import * as z from 'zod';
import { bodyOfGet, Method } from '../../flows/steps/http-config.ts';
import { TemplatedJson } from '../../flows/steps/template-text.ts';
import { requestConfig } from './request-config.ts';
import { defineToolType } from './tool-type.ts';

export const externalTool = defineToolType({
  type: 'external',
  summary: 'Sends an HTTP request',
  config: z
    .strictObject({
      ...requestConfig,
      method: Method.optional().meta({ description: 'Default: GET' }),
      body: TemplatedJson.optional().meta({
        description:
          'A text or any JSON; texts are templates, and `{{ input }}` is the object of all arguments',
      }),
      responseFormat: z.enum(['auto', 'json', 'text']).optional().meta({
        description:
          'Default auto: JSON becomes a value, anything else stays text. json: anything but JSON is a failure',
      }),
      responseMapping: z.record(z.string().min(1), z.string().min(1).max(500)).optional().meta({
        description: 'Maps members of the result to paths in the response body, such as data.items[0].id',
      }),
    })
    .refine(({ method = 'GET', body }) => method !== 'GET' || body === undefined, {
      path: ['body'],
      message: bodyOfGet,
    }),
  effects: true,
  takesSecrets: 'credentials',
  permission: null,
});
