import * as z from 'zod';
import { contentAs, contentOf } from '../../web/content.ts';
import { defineStep } from '../step.ts';
import { Http, refused, requestOf } from './http-request.ts';
import { plainMembers } from './members.ts';

const ResponseType = z.enum(Object.keys(contentAs) as (keyof typeof contentAs)[]);

export const fetchUrlStep = defineStep({
  type: 'fetch-url',
  summary: 'Fetch a page or a file as text, markdown or JSON',
  config: z.strictObject({
    http: Http,
    responseType: ResponseType.optional().meta({
      description:
        'What the output is: the value for json, a text for all others. Without it the content type decides: JSON becomes its value, an HTML page becomes markdown, all else stays text',
    }),
    ...plainMembers,
  }),
  output: z.unknown().meta({ description: 'A text, or any JSON' }),
  effects: true,
  takesSecrets: true,
  permission: null,
  async run(step) {
    const { http, responseType } = step.config;
    const reading = { sandbox: step.ports.sandbox, signal: step.signal };
    const answer = await step.ports.fetch(await requestOf(http, step));
    if (answer.status >= 400) throw refused(answer.url, answer);
    return {
      output: await (responseType ? contentAs[responseType](answer, reading) : contentOf(answer, reading)),
    };
  },
});
