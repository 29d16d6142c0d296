/**
 * What a factory needs of AWS, declared beside it with `using`, so that each Lambda gets the permissions of exactly the
 * factories that its endpoint or worker names.
 *
 * A factory lists its own uses and the factories that it calls; the sums travel up to the endpoint, and `infra/uses.ts` and
 * `infra/aws/grants/` turn them into IAM statements and environment variables. A use that is
 * missing is denied in AWS and on the embedded stack; `test/infra/aws/uses.test.ts` compares declarations and bundles.
 */

/** The CDK app derives IAM statements and variables from each (`infra/uses.ts`, `infra/aws/grants/`). */
export type Use =
  | 'table:read'
  /** Reads, puts, updates and checks items, and deletes none. */
  | 'table:write'
  // D16
  | 'table:delete'
  /** Reads all items of all tenants, for migrations. */
  | 'table:walk'
  /** Counts requests on the credential's item. */
  | 'rate-limits'
  /** Reads the default limits, but counts no requests. */
  | 'default-limits'
  /** Verifies credentials as the authorizer does: keys in the table, tokens by the issuer's keys. */
  | 'credentials'
  | 'sign-in'
  | 'payloads:read'
  | 'payloads:write'
  | 'payloads:delete'
  | 'payloads:list'
  | 'conversation-retention'
  | 'queue:plan'
  | 'queue:runs'
  /** Deletes messages that hold slots of batches. */
  | 'queue:runs:release'
  /** Also schedules messages that are due later than a queue can delay them. */
  | 'queue:wakes'
  | 'queue:agents'
  /** Knows how many places of the queue's worker a tenant may take. */
  | 'places:agents'
  | 'places:deliveries'
  | 'places:telemetry'
  | 'places:jobs'
  | 'open-requests'
  | 'schedules'
  /** Tells the webhooks of surfaces how runs ended. */
  | 'queue:deliveries'
  | 'queue:telemetry'
  /** Knows whether the deployment has a collector. */
  | 'deployment-collector'
  /** Says of spans which service they are of. */
  | 'telemetry-resource'
  | 'queue:cleanup'
  /** Moves data in and out: imports and exports. */
  | 'queue:jobs'
  | 'queue:migrations'
  | 'messages'
  /** Knows how many messages a tenant sends in an hour. */
  | 'message-limits'
  | 'assets'
  | 'assets:public'
  | 'vectors'
  /** Checks whether a collection exists, without access to its contents. */
  | 'vectors:find'
  | 'test-keys'
  /** Encrypts values of test keys, and cannot decrypt them. */
  | 'test-keys:write'
  /** Values of test keys that migration 1 has not moved yet, in Secrets Manager. */
  | 'test-keys:former'
  /** Restores deleted values of test keys in Secrets Manager, for migration 1. */
  | 'test-keys:restore'
  | 'push-secrets:read'
  /** Encrypts, and cannot decrypt. */
  | 'push-secrets:write'
  | 'mcp-connections:read'
  /** Encrypts, and cannot decrypt. */
  | 'mcp-connections:write'
  /** Encrypts and decrypts what flows on in runs and has values of secrets. */
  | 'run-values'
  | 'budget-secrets:read'
  /** Encrypts, and cannot decrypt. */
  | 'budget-secrets:write'
  /** Sends emails of the service itself. */
  | 'alert-emails'
  | 'telemetry-secrets:read'
  /** Encrypts, and cannot decrypt. */
  | 'telemetry-secrets:write'
  | 'secrets:read'
  | 'secrets:write'
  /** The deployment's keys of model and search providers. */
  | 'provider-keys'
  /** Calls models of Bedrock with the Lambda's own role, where the deployment allows it. */
  | 'bedrock'
  /** The values of the tenants' own keys of such providers. */
  | 'own-keys:read'
  | 'own-keys:write'
  | 'agent-credentials:read'
  | 'agent-credentials:write'
  | 'surface-secrets:read'
  | 'surface-secrets:write'
  | 'surface-secrets:delete'
  | 'public-url'
  | 'cors'
  | 'static-files';

export interface Requirements {
  uses: readonly Use[];
  /** In MB, if the default is too small. CPU grows with memory; 1,769 MB is one full vCPU. */
  memoryMb?: number;
}

type Part = Use | Partial<Requirements>;

/** All uses of the parts, and the largest of their memory sizes. */
export function combineRequirements(...parts: readonly Part[]): Requirements {
  const requirements = parts.map((part) => (typeof part === 'string' ? { uses: [part] } : part));
  const memories = requirements.flatMap(({ memoryMb }: Partial<Requirements>) => memoryMb ?? []);
  return {
    uses: [...new Set(requirements.flatMap(({ uses = [] }) => uses))],
    ...(memories.length > 0 && { memoryMb: Math.max(...memories) }),
  };
}

/** Mark each call as pure, so that bundles drop unused factories. @param parts Also the factories that it calls. */
// biome-ignore lint/suspicious/noExplicitAny: factories of every shape carry uses
export const using = <F extends (...args: any[]) => unknown>(
  parts: readonly Part[],
  make: F,
): F & Requirements => Object.assign(make, combineRequirements(...parts));
