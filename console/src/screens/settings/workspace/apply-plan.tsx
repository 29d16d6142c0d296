import { ApiError } from '../../../../../packages/client/src/client.ts';
import type { OperationResponse } from '../../../api/api.ts';
import { useAction } from '../../../api/queries.ts';
import { workspaceTexts } from '../../../texts/workspace.ts';
import { ConfirmButton } from '../../../ui/dialogs/confirm-button.tsx';
import { Button } from '../../../ui/forms/button.tsx';
import { FailureNotice } from '../../../ui/loading/failure.tsx';
import { Loading } from '../../../ui/loading/loaded.tsx';
import { type Input, type Planned, type RealChange, realChanges } from './plan.ts';

interface Props {
  input: Input;
  plan: Planned;
  /** Whether the plan is of another document, or of other options. */
  isStale: boolean;
  onPlanAgain: () => void;
  onApplied: (result: OperationResponse<'workspace.apply'>) => void;
}

/** What it may change. */
const changed = ['flows', 'agents', 'tools', 'model-configs', 'products', 'budgets', 'executions'];

/** Applies exactly what the plan shows. */
export function ApplyPlan({ input, plan, isStale, onPlanAgain, onApplied }: Props) {
  const applying = useAction('workspace.apply', { changes: changed, onSuccess: onApplied });
  const changes = realChanges(plan.changes);
  const deleted = changes.filter(({ action }) => action === 'delete');
  const request = { body: { ...input, planHash: plan.planHash } };
  const { error } = applying;
  const again = <Button onPress={onPlanAgain}>{workspaceTexts.planAgain}</Button>;
  if (applying.isPending) return <Loading what={workspaceTexts.applying(changes.length)} />;
  if (error)
    return (
      <div className="workspace-apply">
        {isOutOfDate(error) ? (
          <p role="alert" className="note">
            {workspaceTexts.workspaceChanged}
          </p>
        ) : (
          <>
            <FailureNotice error={error} />
            <p className="help">{workspaceTexts.partApplied}</p>
          </>
        )}
        <div className="actions">{again}</div>
      </div>
    );
  if (isStale)
    return (
      <div className="workspace-apply">
        <p role="status" className="note">
          {workspaceTexts.outOfDate}
        </p>
        <div className="actions">{again}</div>
      </div>
    );
  return (
    <div className="workspace-apply">
      {deleted.length > 0 && (
        <p className="workspace-deletes">
          <strong>{workspaceTexts.deletes(deleted.length)}</strong> <Names of={deleted} max={3} />
        </p>
      )}
      <div className="actions">
        {deleted.length > 0 ? (
          <ConfirmButton
            title={workspaceTexts.applyQuestion(deleted.length)}
            question={
              <>
                <p>
                  <Names of={deleted} max={20} />
                </p>
                <p>{workspaceTexts.cannotBeUndone}</p>
              </>
            }
            confirm={workspaceTexts.confirmDelete(deleted.length)}
            action={async () => applying.mutate(request)}
          >
            {workspaceTexts.apply(changes.length)}
          </ConfirmButton>
        ) : (
          <Button look="primary" onPress={() => applying.mutate(request)}>
            {workspaceTexts.apply(changes.length)}
          </Button>
        )}
      </div>
    </div>
  );
}

const Names = ({ of: changes, max }: { of: readonly RealChange[]; max: number }) => {
  const names = changes.slice(0, max).map(({ kind, name }) => workspaceTexts.named[kind](name));
  return <bdi>{workspaceTexts.deletesWhat(names, changes.length - names.length)}</bdi>;
};

const isOutOfDate = (error: Error) =>
  error instanceof ApiError && error.status === 409 && error.details.some(({ path }) => path === 'planHash');
