import type { ClientToken } from '../../../domain/client-tokens/client-token.ts';
import type { View } from './client-events.ts';
import type { BroughtTools } from './page-tools.ts';

/** Whether the visitors of a token decide the calls that need an approval. */
export const visitorsApprove = ({ config }: Pick<ClientToken, 'config'>) => config.approvals === true;

export const chatView = (token: ClientToken, brought: BroughtTools): View => ({
  brought,
  showsApprovals: visitorsApprove(token),
});
