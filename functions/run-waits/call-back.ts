import * as z from 'zod';
import { hasCode, invalidAt, notFound, tooLarge } from '../../shared/core/errors/errors.ts';
import { isDeeperThan, nestingLevelsMax } from '../../shared/core/json/nesting.ts';
import { findTokenScope } from '../../shared/domain/run-waits/wait-link.ts';
import { linkedWait, waitAnswers } from '../../shared/execution/run-waits/answer-wait.ts';
import { defineScope } from '../../shared/platform/auth/public-scope.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';

const bodyBytesMax = 256 * 1_024;

export const callBack = defineEndpoint({
  id: 'run-waits.call-back',
  method: 'POST',
  path: '/v1/callbacks/{token}',
  noIdempotencyKey: 'An address takes one request',
  permission: 'public',
  scope: defineScope({
    what: 'Callback',
    uses: ['credentials'],
    from: ({ pathParameters }, runtime) => findTokenScope(pathParameters?.token, runtime),
    limit: { per: 'address', perHour: 10_000, perDay: 100_000 },
  }),
  summary: 'Continue a run that waits for a callback',
  description:
    'The address that a `wait-for-callback` step has made. Any JSON of up to 256 KB and 100 levels becomes its output. It works once: 404 for a wrong, used or expired one.',
  params: z.object({ token: z.string().min(1).max(200) }),
  exactNumbers: true,
  body: z.unknown().refine((body) => body !== undefined, 'Required: a JSON value'),
  needsBody: true,
  response: { kind: 'json', bodies: { 202: z.object({ accepted: z.literal(true) }) } },
  errors: [400, 404, 413],
  needs: { linked: linkedWait, answers: waitAnswers },

  async handle({ params: { token }, body }, { linked, answers }) {
    // Before the address is used up: the body becomes the output of a step.
    if (isDeeperThan(nestingLevelsMax, body))
      throw invalidAt('', 'TOO_DEEP', `A callback is nested at most ${nestingLevelsMax} levels deep`);
    const bytes = Buffer.byteLength(JSON.stringify(body));
    if (bytes > bodyBytesMax) throw tooLarge(`A callback has at most ${bodyBytesMax} bytes`);
    try {
      const { wait } = await linked.open(token, 'callback');
      await answers.callBack(wait, body);
    } catch (error) {
      // Whoever calls late learns no more than whoever guesses.
      throw hasCode(error, 'CONFLICT') ? notFound('Callback') : error;
    }
    return { accepted: true as const };
  },
});

export const handler = toLambda(callBack);
