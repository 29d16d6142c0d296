import { randomUUID } from 'node:crypto';
import { createApiKey } from '../../functions/api-keys/create.ts';
import { type Principal, toContext, toTenant } from '../../shared/platform/identity/principal.ts';
import type { EnvironmentName } from '../environments.ts';
import { findDeployment } from './deployment/deployment.ts';
import { OperationError, parseOptions, printNote, runOperation } from './deployment/operation.ts';
import { invokeLambda } from './invoke-lambda.ts';
import { findOrCreateUser, type User } from './users.ts';

const usage = `npm run bootstrap -- -c env=dev --email ada@example.com [--organization acme] [--name first] [--permissions FLOWS:*,RECORDS:*]
With your own OIDC issuer, name the user by the claim sub of its tokens: --user <sub> in place of --email.`;
const names = ['email', 'user', 'organization', 'name', 'permissions'] as const;
type Options = Partial<Record<(typeof names)[number], string>>;

/** Creates the first user of a deployment and an API key, and prints the key to stdout. */
async function bootstrap(): Promise<void> {
  const { env, options } = parseOptions(usage, names);
  if (!options.email === !options.user) throw new OperationError(`Give --email or --user.\nUsage: ${usage}`);
  const { region, url, userPoolId } = await findDeployment(env);
  printNote(`Deployment ${env} in ${region}: ${url}`);
  const user = await userOf(options, userPoolId);
  const { name = 'first', permissions = 'FLOWS:*,RECORDS:*' } = options;
  const plainKey = await createFirstKey(env, user, { name, permissions: permissions.split(',') });
  printNote(`API key "${name}" with the permissions ${permissions}. It is shown only once:`);
  process.stdout.write(`${plainKey}\n`);
  await checkKey(url, plainKey, env);
}

async function userOf({ email, user, ...options }: Options, userPoolId?: string): Promise<User> {
  const organization = options.organization ?? null;
  if (user) return { userId: user, organizationId: organization };
  if (!email) throw new OperationError(usage);
  if (!userPoolId)
    throw new OperationError(
      `This deployment has its own OIDC issuer, so there is no user pool.\nUsage: ${usage}`,
    );
  const { isNew, ...found } = await findOrCreateUser(userPoolId, email, organization);
  const whose = found.organizationId ? `of the organization ${found.organizationId}` : 'without organization';
  printNote(
    isNew
      ? `User ${email} ${whose}: created. Cognito sent a temporary password to this address.`
      : `User ${email} ${whose}: exists already.`,
  );
  return found;
}

async function checkKey(url: string, plainKey: string, env: EnvironmentName): Promise<void> {
  const problem = await keyWorks(url, plainKey);
  if (problem)
    throw new OperationError(
      `The key was created, but ${url} does not answer to it: ${problem}. Run npm run doctor -- -c env=${env}.`,
    );
  printNote(
    `The API accepts the key. Try it:\n\n  curl -sS '${url}/v1/flows' -H "Authorization: Bearer $KEY"\n`,
  );
}

await runOperation(bootstrap);

/**
 * Creates an API key for a user without a session: invokes the endpoint's Lambda directly, with the principal that the
 * authorizer would add. This needs `lambda:InvokeFunction` on that Lambda, which only operators have.
 * @returns the key. @throws OperationError
 */
async function createFirstKey(
  env: EnvironmentName,
  user: User,
  body: { name: string; permissions: readonly string[] },
): Promise<string> {
  const result = await invokeLambda(env, createApiKey.id, eventOf(user, body));
  if (result.statusCode !== 201)
    throw new OperationError(`The key was not created: ${result.body ?? result.errorMessage}`);
  return JSON.parse(result.body).plainKey;
}

function eventOf({ userId, organizationId }: User, body: object) {
  const principal: Omit<Principal, 'sourceIp'> = {
    kind: 'session',
    tenant: toTenant(userId, organizationId),
    userId,
    organizationId,
    environment: 'production',
    keyId: null,
    hash: null,
    permissions: ['*'],
  };
  const { method, path } = createApiKey;
  return {
    httpMethod: method,
    path,
    resource: path,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    isBase64Encoded: false,
    requestContext: { requestId: randomUUID(), authorizer: toContext(principal), path, identity: {} },
  };
}

/** Calls the API with a key. @returns why it fails, or `undefined`. */
async function keyWorks(url: string, plainKey: string): Promise<string | undefined> {
  try {
    const { status } = await fetch(`${url}/v1/usage-limits`, {
      headers: { authorization: `Bearer ${plainKey}` },
      signal: AbortSignal.timeout(30_000),
    });
    return status === 200 ? undefined : `status ${status}`;
  } catch (error) {
    return String((error as Error).cause ?? error);
  }
}
