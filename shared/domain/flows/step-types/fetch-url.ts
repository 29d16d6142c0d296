import * as z from 'zod';
import { contentForms } from '../../../adapters/web/content-forms.ts';
import { commonConfig } from '../steps/common-config.ts';
import { Http, isSafe } from '../steps/http-config.ts';
import { defineStepType } from '../steps/step.ts';

const ResponseType = z.enum(contentForms);

export const fetchUrlStep = defineStepType({
  type: 'fetch-url',
  summary: 'Fetch a page or a file as text, Markdown or JSON',
  config: z.strictObject({
    http: Http,
    responseType: ResponseType.optional().meta({
      description:
        'The form of the output: a value for json, text for all others. Default: by content type, JSON becomes a value, an HTML page becomes Markdown, anything else stays text',
    }),
    ...commonConfig,
  }),
  output: z.unknown().meta({ description: 'A text, or any JSON' }),
  effects: true,
  acts: ({ http }) => !isSafe(http.method),
  reusable: true,
  takesSecrets: 'credentials',
  callsModels: false,
  permission: null,
});
