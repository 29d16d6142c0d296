import type { EnvironmentName } from '../environments.ts';
import { findDeployment } from './deployment/deployment.ts';
import { OperationError, parseOptions, printNote, runOperation } from './deployment/operation.ts';
import { createFirstKey, keyWorks } from './first-key.ts';
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
