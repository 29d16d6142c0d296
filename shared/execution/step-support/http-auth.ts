import type { Auth } from '../../domain/flows/steps/http-auth-config.ts';
import type { StepRun } from './step-runner.ts';

/** The headers for this authentication. */
export async function authorization(
  auth: Auth | undefined,
  render: StepRun<unknown>['render'],
): Promise<Record<string, string>> {
  switch (auth?.type) {
    case 'bearer':
      return { authorization: `Bearer ${await render(auth.token)}` };
    case 'basic': {
      const pair = `${await render(auth.username)}:${await render(auth.password)}`;
      return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
    }
    case 'api_key':
    case 'custom_header':
      return { [(auth.headerName ?? 'X-API-Key').toLowerCase()]: await render(auth.token) };
    default:
      return {};
  }
}
