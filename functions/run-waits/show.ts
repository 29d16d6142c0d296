import * as z from 'zod';
import { linkedWait } from '../../shared/execution/run-waits/answer-wait.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { waitLinkScope } from './link-scope.ts';

export const Token = z.string().min(1).max(200).meta({ description: 'The part of the link after `#`' });

export const showApproval = defineEndpoint({
  id: 'run-waits.show',
  method: 'POST',
  path: '/v1/approvals/show',
  noIdempotencyKey: 'It changes nothing',
  permission: 'public',
  scope: waitLinkScope,
  summary: 'Show the question of an approval link',
  description:
    'What the page of an approval link shows. It does not use the link up. 404 for a wrong token; 409 once it is answered, its time is over or its run has ended.',
  body: z.strictObject({ token: Token }),
  response: {
    kind: 'json',
    bodies: {
      200: z
        .object({
          flowName: z.string().nullable(),
          question: z.string(),
          details: z.string().nullable(),
          choices: z.array(z.string()),
          form: z.record(z.string(), z.unknown()).nullable(),
          expiresAt: z.string(),
        })
        .meta({ id: 'ApprovalQuestion' }),
    },
  },
  errors: [400, 404, 409],
  needs: { linked: linkedWait },

  async handle({ body: { token } }, { linked }) {
    const { wait } = await linked.open(token, 'approval');
    const { flowName, question = '', details = null, choices = [], form = null, expiresAt } = wait;
    return { flowName, question, details, choices, form, expiresAt };
  },
});

export const handler = toLambda(showApproval);
