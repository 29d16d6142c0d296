import type { Auth } from '../../domain/flows/steps/http-config.ts';
import { toCredentialHeaders } from './credential-headers.ts';
import type { StepRun } from './step-runner.ts';

export async function authorization(
  auth: Auth | undefined,
  render: StepRun<unknown>['render'],
): Promise<Record<string, string>> {
  switch (auth?.type) {
    case 'basic': {
      const [username, password] = await Promise.all([render(auth.username), render(auth.password)]);
      return toCredentialHeaders({ type: 'basic', username, password });
    }
    case 'bearer':
    case 'api_key':
    case 'custom_header':
      return toCredentialHeaders({ ...auth, token: await render(auth.token) });
    default:
      return {};
  }
}
