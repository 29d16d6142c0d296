import { Button } from '../../../ui/forms/button.tsx';
import { explained } from '../../../ui/loading/failure-text.ts';
import type { Findings } from './findings.ts';
import type { Check } from './use-findings.ts';

/** How many findings the steps have, as far as that is known. */
export const CheckSummary = ({ findings, isChecking, error, retry }: Check) => (
  <>
    <span role="status" className="help">
      {isChecking
        ? 'Checking …'
        : error
          ? `Could not be checked: ${explained(error).title}`
          : summaryOf(findings)}
    </span>
    {error && (
      <Button look="quiet" isPending={isChecking} onPress={retry}>
        Check again
      </Button>
    )}
  </>
);

function summaryOf({ errors, warnings }: Findings): string {
  if (errors + warnings === 0) return 'No issues';
  const words = [errors > 0 && counted(errors, 'error'), warnings > 0 && counted(warnings, 'warning')];
  return words.filter(Boolean).join(', ');
}

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`;
