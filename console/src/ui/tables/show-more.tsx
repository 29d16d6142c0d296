import { sharedTexts } from '../../texts/shared.ts';
import { uiTexts } from '../../texts/ui.ts';
import { Button } from '../forms/button.tsx';

interface Props {
  /** As `usePages` returns them. */
  pages: {
    error: Error | null;
    hasNextPage: boolean;
    isFetchingNextPage: boolean;
    fetchNextPage: () => unknown;
  };
}

/** Loads the next page of a list, for those who do not scroll to its end. */
export const ShowMore = ({ pages: { error, hasNextPage, isFetchingNextPage, fetchNextPage } }: Props) =>
  hasNextPage &&
  !error && (
    <p className="more">
      <Button onPress={() => fetchNextPage()} isPending={isFetchingNextPage}>
        {isFetchingNextPage ? uiTexts.loading : sharedTexts.showMore}
      </Button>
    </p>
  );
