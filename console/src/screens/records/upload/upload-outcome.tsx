import { typePath } from '../../../routing/record-paths.ts';
import { uploadTexts } from '../../../texts/upload.ts';
import { Link } from '../../../ui/link.tsx';
import type { Outcome } from './use-upload.ts';

const shownMax = 100;

/** What became of the rows of a file, also of one that is not done. */
export const UploadOutcome = ({ outcome }: { outcome: Outcome }) => {
  const { plan, created, leftOut, problems, nextLine } = outcome;
  return (
    <>
      <p>
        <strong>
          {nextLine === undefined
            ? uploadTexts.recordsCreated(created)
            : uploadTexts.notFinished(uploadTexts.recordsCreated(created))}
        </strong>
        {nextLine === undefined && !plan.typeColumn && (
          <>
            {'. '}
            <Link to={typePath(plan.type)}>{uploadTexts.showRecords}</Link>
          </>
        )}
      </p>
      {nextLine !== undefined && (
        <p className="help">
          {nextLine > 0 && `${uploadTexts.rowsAboveAreDone(nextLine)} `}
          {uploadTexts.lastRequestMayHaveCreated}
        </p>
      )}
      {leftOut > 0 && <p>{uploadTexts.rowsLeftOut(leftOut)}</p>}
      {problems.length > 0 && (
        <>
          <ul className="records-problems">
            {problems.slice(0, shownMax).map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
          {problems.length > shownMax && (
            <p className="help">{uploadTexts.moreProblems(problems.length - shownMax)}</p>
          )}
        </>
      )}
    </>
  );
};
