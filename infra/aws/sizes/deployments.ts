import { mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EnvironmentName, environments } from '../../environments.ts';
import { measureStack, type Sizes } from './sizes.ts';
import { stackWithoutCode } from './stack-without-code.ts';

/** Everything that a deployment can have. */
export const allOptions: Readonly<Record<string, string>> = {
  alarmEmail: 'ops@example.com',
  alarms: 'true',
  basePath: 'flows',
  bedrockRegion: 'eu-central-1',
  canary: 'true',
  certificateArn: 'arn:aws:acm:eu-central-1:123456789012:certificate/1',
  cloudFront: 'true',
  conversationRetentionDays: '90',
  corsOrigins: 'https://a.example.com,https://b.example.com',
  domainName: 'api.example.com',
  forwardedAddressHeader: 'CF-Connecting-IP',
  otlpEndpoint: 'https://collector.example.com',
  sesIdentities: 'example.com',
  userEmailSender: 'no-reply@example.com',
  wafRatePer5Minutes: '2000',
  workers: 'managed',
};

export interface MeasuredDeployment {
  env: EnvironmentName;
  options: 'default' | 'all';
  sizes: Sizes;
}

/** The sizes of every environment, with no options and with all of them. */
export function measureDeployments(): MeasuredDeployment[] {
  using directory = mkdtempDisposableSync(join(tmpdir(), 'sizes-'));
  const measure = (env: EnvironmentName, options: MeasuredDeployment['options']) => {
    const context = { env, ...(options === 'all' && allOptions) };
    const place = join(directory.path, `${env}-${options}`);
    return { env, options, sizes: measureStack(stackWithoutCode({ directory: place, context })) };
  };
  const names = Object.keys(environments) as EnvironmentName[];
  return names.flatMap((env) => [measure(env, 'default'), measure(env, 'all')]);
}
