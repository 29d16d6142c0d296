import * as z from 'zod';
import { validateFlow as validate } from '../../shared/flows/analysis/validate.ts';
import { defineEndpoint } from '../../shared/http/endpoint.ts';
import { toLambda } from '../../shared/http/lambda.ts';
import { sandboxOf } from '../../shared/sandbox/sandbox.ts';
import { CreateFlowBody } from '../flows/schemas.ts';

const Finding = z
  .object({
    code: z.string(),
    message: z.string(),
    path: z
      .string()
      .meta({ description: 'A dotted JSON path into the body, such as flowSteps.2.config.template' }),
    step: z
      .object({
        index: z.int().meta({ description: 'Of the step at the top level; the path leads to a nested one' }),
        name: z.string(),
        type: z.string(),
      })
      .optional(),
    details: z.unknown().optional(),
  })
  .meta({ id: 'FlowFinding' });

export const validateFlow = defineEndpoint({
  id: 'public.validate-flow',
  method: 'POST',
  path: '/v1/public/flows/validate',
  permission: 'public',
  summary: 'Check a flow without saving it',
  description:
    'Takes what POST /v1/flows takes. Errors are what would keep the flow from being saved, warnings what will hardly work as it is meant, recommendations what could be better. Nothing is saved or run; what depends on an account, such as the model providers that are configured, is not looked at.',
  body: z.record(z.string(), z.unknown()),
  responses: {
    200: z
      .object({
        valid: z.boolean(),
        errors: z.array(Finding),
        warnings: z.array(Finding),
        recommendations: z.array(Finding),
        context: z.object({
          authenticated: z.boolean(),
          accountChecksPerformed: z.boolean(),
          accountChecksSkipped: z.boolean(),
        }),
      })
      .meta({ id: 'FlowValidation' }),
  },
  errors: [400, 413, 415],
  needs: {},
  handle: async ({ body }) => ({
    ...(await validate(CreateFlowBody, body, sandboxOf('anonymous'))),
    context: { authenticated: false, accountChecksPerformed: false, accountChecksSkipped: true },
  }),
});

export const handler = toLambda(validateFlow);
