import { Link } from '../ui/link.tsx';
import { Page } from '../ui/page.tsx';

export const NotFound = () => (
  <Page title="Page not found">
    <p>
      The address may be mistyped, or from another version of the console. <Link to="/">Go to home</Link>
    </p>
  </Page>
);
