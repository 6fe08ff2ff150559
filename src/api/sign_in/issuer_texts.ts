import type { Language } from '../../mail/locale.ts';
import type { ProviderError } from '../../oidc/provider_sign_in.ts';
import type { Refusal } from './issuer_sign_in.ts';

/** Why a sign-in with an issuer did not succeed. */
export type IssuerFailure = Refusal | ProviderError['kind'] | 'expired';

/** The texts of the page that the browser comes back to. */
export const ISSUER_TEXTS: Readonly<Record<Language, Readonly<Record<IssuerFailure, string>>>> = {
  en: {
    expired: 'This sign-in took longer than 10 minutes, or was begun in another browser.',
    refused: 'The sign-in service of your organization did not let you in.',
    invalid: 'The answer of the sign-in service could not be verified. If it happens again, tell your administrator.',
    unreachable: 'The sign-in service of your organization does not answer. Try again in a minute.',
    no_issuer: 'This way to sign in no longer exists. Ask your administrator.',
    unknown:
      'The sign-in service knows you, but nobody has given you access here. Ask an administrator to add your email address.',
    no_role: 'You have no role here. Ask your administrator for one.',
    no_groups: 'The sign-in service did not name your groups, so your role is unknown. Tell your administrator.',
    no_address: 'The sign-in service did not give your email address. Tell your administrator.',
    address_taken:
      'Your email address belongs to somebody here who signs in another way. If it is you, sign in that way and link your account under Settings, or ask your administrator.',
    not_linked: 'This account was not linked: it belongs to somebody else here, or you have another one already.',
  },
  es: {
    expired: 'Este inicio de sesión tardó más de 10 minutos, o se empezó en otro navegador.',
    refused: 'El servicio de acceso de su organización no le dejó entrar.',
    invalid: 'No se pudo comprobar la respuesta del servicio de acceso. Si vuelve a ocurrir, avise a su administrador.',
    unreachable: 'El servicio de acceso de su organización no responde. Inténtelo de nuevo en un minuto.',
    no_issuer: 'Esta forma de entrar ya no existe. Pregunte a su administrador.',
    unknown:
      'El servicio de acceso le conoce, pero aquí nadie le ha dado acceso. Pida a un administrador que agregue su dirección de correo.',
    no_role: 'Aquí no tiene ningún rol. Pídalo a su administrador.',
    no_groups: 'El servicio de acceso no indicó sus grupos, así que se desconoce su rol. Avise a su administrador.',
    no_address: 'El servicio de acceso no indicó su dirección de correo. Avise a su administrador.',
    address_taken:
      'Su dirección de correo es de alguien que aquí entra de otra forma. Si es usted, entre de esa forma y vincule la cuenta en Configuración, o pregunte a su administrador.',
    not_linked: 'La cuenta no se vinculó: aquí es de otra persona, o usted ya tiene otra.',
  },
};
