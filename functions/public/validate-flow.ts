import * as z from 'zod';
import { limitQueueTime, limitTotalTime, tenantSandbox } from '../../shared/adapters/sandbox/sandbox.ts';
import { type AccountFindings, accountCheck } from '../../shared/domain/flows/analysis/account-check.ts';
import {
  findStepsMember,
  isOutOfBounds,
  validateSentFlow,
} from '../../shared/domain/flows/analysis/validate.ts';
import { mapPricer } from '../../shared/execution/forecast/map-prices.ts';
import { optionalCredential } from '../../shared/platform/auth/optional-credential.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
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
        index: z.int().meta({ description: 'Index of the top-level step; `path` locates a nested step' }),
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
  noIdempotencyKey: 'It changes nothing',
  permission: 'public',
  scope: optionalCredential,
  summary: 'Validate a flow without saving it',
  description: `Takes the body of POST /v1/flows. \`errors\` prevent the flow from being saved, \`warnings\` are likely mistakes, \`recommendations\` are possible improvements. Nothing is saved or run.

With a credential, the service also checks that the account has the secrets, models, tools, flows, agents, records, record types and collections that the flow references, as far as the credential may read them (SECRETS:READ, TOOLS:READ, FLOWS:READ, AGENTS:READ, RECORDS:READ). The warning of a list without a bound then says what its items cost, if the prices of its models are known. It checks up to 100 of each kind, and up to 10 record ids, record types and collections. \`context\` says whether it ran these checks and whether it skipped any.

Templates, scripts and schemas are checked for 8 seconds at most: a finding names the first one that was not. Requests without a credential are limited per IP address to a tenth of the default limits of a key: 100 an hour and 1,000 a day.`,
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
              .meta({ description: 'Whether the references of the flow were checked against the account' }),
            accountChecksSkipped: z.boolean().meta({ description: 'Whether any reference was not checked' }),
          }),
        })
        .meta({ id: 'FlowValidation' }),
    },
  },
  errors: [400, 503],
  needs: { checkAccount: accountCheck, priceMaps: mapPricer },

  async handle({ body, principal, signal }, account) {
    const checkSandbox = tenantSandbox(principal?.tenant ?? 'anonymous');
    const sandbox = limitQueueTime(limitTotalTime(checkSandbox, budgetMs), signal);
    const validation = await validateSentFlow(CreateFlowBody, body, sandbox);
    const member = findStepsMember(body);
    const { errors, findings, performed, skipped } =
      principal && account && !isOutOfBounds(validation)
        ? await account.checkAccount(body[member], member, principal.permissions)
        : unchecked;
    const priced =
      account && performed
        ? await account.priceMaps(validation.warnings, body[member], member)
        : validation.warnings;
    const reported = new Set(validation.warnings.map(({ path, message }) => `${path} ${message}`));
    const added = findings.filter(({ path, message }) => !reported.has(`${path} ${message}`));
    return {
      ...validation,
      valid: validation.valid && errors.length === 0,
      errors: validation.errors.concat(errors),
      warnings: priced.concat(added),
      context: {
        authenticated: principal !== undefined,
        accountChecksPerformed: performed,
        accountChecksSkipped: skipped,
      },
    };
  },
});

/** Anyone may validate, so that a request must not keep a thread for long. */
const budgetMs = 8_000;
const unchecked: AccountFindings = { errors: [], findings: [], performed: false, skipped: true };

export const handler = toLambda(validateFlow);
