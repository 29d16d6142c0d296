import * as z from 'zod';
import { commonConfig } from '../steps/common-config.ts';
import { Auth, bodyOfGet, Http, isSafe } from '../steps/http-config.ts';
import { defineStepType } from '../steps/step.ts';
import { Template } from '../steps/template-text.ts';

const Config = z
  .strictObject({
    http: Http,
    auth: Auth.optional(),
    requestTemplate: Template.optional().meta({
      description:
        'A template of the complete request body. In JSON, values stay in the literals that they stand in; what is no JSON in the end is not sent',
    }),
    responseMapping: z
      .record(z.string().min(1), z.string().min(1).max(500))
      .optional()
      .meta({ description: 'Maps output members to paths in the response body, such as data.items[0].id' }),
    ...commonConfig,
  })
  .superRefine(({ http: { method = 'GET', body }, requestTemplate }, context) => {
    if (requestTemplate === undefined) return;
    const refuse = (message: string) => context.addIssue({ code: 'custom', path: ['http', 'body'], message });
    if (body !== undefined) refuse('Give either http.body or requestTemplate');
    else if (method === 'GET') refuse(bodyOfGet);
  });

export const apiCallStep = defineStepType({
  type: 'api-call',
  summary: 'Call an HTTP API',
  config: Config,
  output: z.union([
    z.object({ status: z.int(), headers: z.record(z.string(), z.string()), body: z.unknown() }),
    z.record(z.string(), z.unknown()),
  ]),
  effects: true,
  acts: ({ http }) => !isSafe(http.method),
  reusable: true,
  takesSecrets: 'credentials',
  callsModels: false,
  permission: null,
});
