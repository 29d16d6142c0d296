import { productTexts } from '../../../texts/products.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { Link } from '../../../ui/link.tsx';

interface Props {
  flowId: string | null;
  agentId: string | null;
}

/** To what a capability runs. */
export const TargetLink = ({ flowId, agentId }: Props) =>
  flowId ? (
    <Link to={`/flows/${flowId}`}>{sharedTexts.flow}</Link>
  ) : agentId ? (
    <Link to={`/agents/${agentId}`}>{sharedTexts.agent}</Link>
  ) : (
    productTexts.targetDeleted
  );
