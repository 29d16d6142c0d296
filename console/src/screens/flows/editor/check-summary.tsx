import { editorTexts } from '../../../texts/flow-editor.ts';
import { Button } from '../../../ui/forms/button.tsx';
import { explained } from '../../../ui/loading/failure-text.ts';
import type { Findings } from './findings.ts';
import type { FlowFindings } from './use-findings.ts';

/** How many findings the steps have, as far as that is known. */
export const CheckSummary = ({ findings, isChecking, error, retry }: FlowFindings) => (
  <>
    <span role="status" className="help">
      {isChecking
        ? editorTexts.checking
        : error
          ? editorTexts.notChecked(explained(error).title)
          : summaryOf(findings)}
    </span>
    {error && (
      <Button look="quiet" isPending={isChecking} onPress={retry}>
        {editorTexts.checkAgain}
      </Button>
    )}
  </>
);

function summaryOf({ errors, warnings }: Findings): string {
  if (errors + warnings === 0) return editorTexts.noIssues;
  const words = [errors > 0 && editorTexts.errors(errors), warnings > 0 && editorTexts.warnings(warnings)];
  return words.filter(Boolean).join(', ');
}
