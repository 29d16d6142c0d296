import * as z from 'zod';
import { sandboxOf, withQueueTimeout } from '../../shared/adapters/sandbox/sandbox.ts';
import { type AccountFindings, accountCheck } from '../../shared/domain/flows/analysis/account-check.ts';
import {
  isOutOfBounds,
  stepsMember,
  validateFlow as validate,
} from '../../shared/domain/flows/analysis/validate.ts';
import { optionalCredential } from '../../shared/platform/auth/optional-credential.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda.ts';
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
  scope: optionalCredential,
  summary: 'Check a flow without saving it',
  description: `Takes what POST /v1/flows takes. Errors are what would keep the flow from being saved, warnings what will hardly work as it is meant, recommendations what could be better. Nothing is saved or run.

With a credential it is also looked up whether the account has the secrets, models, records, record types and collections that the flow names, as far as the credential may read them (SECRETS:READ, RECORDS:READ), up to 100 of each, of record ids, types and collections 10; \`context\` tells whether that was done, and whether anything was left out. Calls without a credential are limited per address to a tenth of what a key has: 100 an hour and 1,000 a day.`,
  body: z.record(z.string(), z.unknown()),
  response: {
    kind: 'json',
    bodies: {
      200: z
        .object({
          valid: z.boolean(),
          errors: z.array(Finding),
          warnings: z.array(Finding),
          recommendations: z.array(Finding),
          context: z.object({
            authenticated: z.boolean(),
            accountChecksPerformed: z
              .boolean()
              .meta({ description: 'Whether the account was asked for what the flow names' }),
            accountChecksSkipped: z
              .boolean()
              .meta({ description: 'Whether anything that the flow names was not looked up' }),
          }),
        })
        .meta({ id: 'FlowValidation' }),
    },
  },
  errors: [400, 413, 415, 503],
  needs: { checkAccount: accountCheck },

  async handle({ body, principal, signal }, account) {
    const sandbox = withQueueTimeout(sandboxOf(principal?.tenant ?? 'anonymous'), signal);
    const validation = await validate(CreateFlowBody, body, sandbox);
    const member = stepsMember(body);
    const { findings, performed, skipped } =
      principal && account && !isOutOfBounds(validation)
        ? await account.checkAccount(body[member], member, principal.permissions)
        : unchecked;
    const told = new Set(validation.warnings.map(({ path, message }) => `${path} ${message}`));
    const added = findings.filter(({ path, message }) => !told.has(`${path} ${message}`));
    return {
      ...validation,
      warnings: validation.warnings.concat(added),
      context: {
        authenticated: principal !== undefined,
        accountChecksPerformed: performed,
        accountChecksSkipped: skipped,
      },
    };
  },
});

const unchecked: AccountFindings = { findings: [], performed: false, skipped: true };

export const handler = toLambda(validateFlow);
