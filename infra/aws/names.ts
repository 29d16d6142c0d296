import type { Settings } from './settings.ts';

/** The name of the API, which is a dimension of its metrics. */
export const apiNameOf = ({ env }: Pick<Settings, 'env'>) => `agent-flow-${env}`;

/** The name prefix of all functions and alarms of a deployment. */
export const namePrefixOf = ({ env }: Pick<Settings, 'env'>) => `agent-flow-${env}-`;

/** Fixed, so that operators can name a Lambda, and API Gateway's document need not refer to its resource. */
export const functionNameOf = (id: string, settings: Pick<Settings, 'env'>) =>
  namePrefixOf(settings) + id.replace('.', '-');
