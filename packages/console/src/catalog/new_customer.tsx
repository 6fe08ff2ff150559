import { Link, useLocation } from 'wouter';
import { useOpenForm } from '../forms/draft.ts';
import { useTexts } from '../preferences_and_words.tsx';
import { CATALOG_TEXTS } from '../translations/catalog.ts';
import { CustomerForm } from './customer_form.tsx';
import { OpenButton } from './open_buttons.tsx';

const NEW = 'customer.new';

/** The button on the list of customers that adds a customer, and then shows the new customer. */
export function NewCustomer() {
  const texts = useTexts(CATALOG_TEXTS);
  const form = useOpenForm(NEW);
  const [, navigate] = useLocation();
  return (
    <>
      <p className="actions no-print">
        <OpenButton opening={form}>{texts.newCustomer}</OpenButton>
        <Link className="button" href="/imports">
          {texts.importFile}
        </Link>
      </p>
      {form.isOpen && (
        <CustomerForm
          customer={null}
          draftOf={NEW}
          onSaved={({ id }) => navigate(`/customers/${id}`)}
          onClose={form.close}
        />
      )}
    </>
  );
}
