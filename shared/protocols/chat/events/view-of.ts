import type { ClientToken } from '../../../domain/client-tokens/client-token.ts';
import type { VisitorView } from './client-events.ts';
import type { PageRunTools } from './page-names.ts';

/** Whether the visitors of a token decide the calls that need an approval. */
export const visitorsApprove = ({ config }: Pick<ClientToken, 'config'>) => config.approvals === true;

export const chatView = (token: ClientToken, brought: PageRunTools): VisitorView => ({
  brought,
  showsApprovals: visitorsApprove(token),
});
