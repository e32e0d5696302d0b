/** dist/page/bundle.js is made by build-page.mjs from page/. */
export declare const PAGE_SCRIPT: string;
/** `sha256-...`, as a content security policy names it. */
export declare const PAGE_SCRIPT_HASH: string;
export declare const PAGE_STYLE: string;
export declare const PAGE_STYLE_HASH: string;
