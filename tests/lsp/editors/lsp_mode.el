;;; lsp_mode.el --- drives Emacs with lsp-mode through all that it asks of servers  -*- lexical-binding: t -*-

(load (expand-file-name "emacs.el" (getenv "EDITOR_HERE")) nil t)
(require 'flymake)
(require 'lsp-mode)
(require 'lsp-lens)
(require 'lsp-semantic-tokens)
(transient-mark-mode 1)
(setq lsp-auto-guess-root t
      lsp-session-file (expand-file-name "lsp-session" "~")
      lsp-server-install-dir (expand-file-name "servers" "~")
      lsp-restart 'ignore
      lsp-enable-snippet nil
      lsp-semantic-tokens-enable t
      lsp-debounce-full-sync-notifications nil
      lsp-signature-function #'ignore)
(load (getenv "EDITOR_SETUP") nil t)

;; lsp-mode 8.0 counts a character beyond U+FFFF as one, the protocol as two: it would change such lines at wrong
;; places.
(with-temp-file (expand-file-name "broken.tf" (getenv "EDITOR_WORKSPACE"))
  (insert "output \"stage\" {\n  value = \"ä ${var.stagee}\"\n}\n"))

(defun edit (name)
  "Visits a file, and waits until the server knows it."
  (visit name)
  (wait-for "server" (lambda ()
                       (cl-some (lambda (workspace) (eq (lsp--workspace-status workspace) 'initialized))
                                (lsp-workspaces)))))

(defun lens-lines ()
  "The lenses of the buffer: their places, their texts."
  (vconcat (sort (mapcar (lambda (overlay)
                           (vector (spot (overlay-get overlay 'lsp-lens-position))
                                   (string-trim (substring-no-properties (overlay-get overlay 'lsp--lens-contents)))))
                         lsp-lens--overlays)
                 (lambda (one other) (string-version-lessp (aref one 0) (aref other 0))))))

(defun faces ()
  "The faces of some words of the buffer."
  (font-lock-set-defaults)
  (funcall font-lock-fontify-region-function (point-min) (point-max))
  (vconcat (mapcar (lambda (mark)
                     (go mark)
                     (vector mark (format "%s" (get-text-property (1- (point)) 'face))))
                   '("terraform" "locals" "names" "var" "module" "format" "\"./child\""))))

(defun read-things ()
  (edit "main.tf")
  (go "= local.pre")
  (save-window-excursion
    (lsp-describe-thing-at-point)
    (with-current-buffer "*lsp-help*" (note "hover" (text))))
  (lsp--document-highlight)
  (wait-for "highlights" (lambda () (> (length (overlays-of 'lsp-highlight t)) 0)))
  (note "highlights" (overlays-of 'lsp-highlight t))
  (go "format(")
  (note "signature" (plain (lsp--signature->message
                            (lsp-request "textDocument/signatureHelp" (lsp--text-document-position-params)))))
  (jumped "definition" (lsp-find-definition))
  (jumped "declaration" (lsp-find-declaration))
  (visit "main.tf")
  (go "var.st")
  (listed "references" (lsp-find-references))
  (visit "main.tf")
  (note "outline" (outline (lsp--imenu-create-index)))
  ;; lsp-mode 8.0 raises an error for symbols in the first line of a file.
  (listed "workspace symbols" (xref-find-apropos "data.sto"))
  (visit "main.tf")
  (go "= local.pre")
  (lsp-extend-selection)
  (note "selection" (vector (spot (region-beginning)) (spot (region-end))))
  (lsp-extend-selection)
  (note "larger selection" (vector (spot (region-beginning)) (spot (region-end))))
  (deactivate-mark)
  (note "folds" (vconcat (mapcar (lambda (range)
                                   (vector (spot (lsp--folding-range-beg range)) (spot (lsp--folding-range-end range))))
                                 (lsp--get-folding-ranges))))
  (lsp--document-links)
  (wait-for "links" (lambda () (> (length (overlays-of 'lsp-link t)) 0)))
  (note "links" (overlays-of 'lsp-link t))
  (lsp-lens-refresh t)
  (wait-for "lenses" (lambda () (> (length (lens-lines)) 0)))
  (note "lenses" (lens-lines))
  (lsp-semantic-tokens--request-update)
  (wait-for "tokens" (lambda () lsp--semantic-tokens-cache))
  (note "faces" (faces)))

(defun mend-things ()
  (edit "broken.tf")
  (flymake-start)
  (wait-for "problems" #'flymake-diagnostics)
  (note "problems" (problems))
  (go "var.sta")
  (changed "code action"
           (cl-letf (((symbol-function 'completing-read) (first-of "titles of code actions")))
             (call-interactively #'lsp-execute-code-action)))
  (wait-for "end of the problems" (lambda () (null (flymake-diagnostics)))))

(defun write-things ()
  (edit "typing.tf")
  (rewrite "  typed = var.")
  (note "offered" (offered))
  (completion-at-point)
  (note "completion" (plain (thing-at-point 'line)))
  (rewrite "  typed = timead")
  (completion-at-point)
  (note "completion of a function" (plain (thing-at-point 'line)))
  (rewrite "  typed = 1")
  (visit "main.tf")
  (go "= local.pre")
  (changed "rename" (lsp-rename "start"))
  (edit "layout.tf")
  (go "All.\"\n")
  (delete-char 1)
  (let ((last-command-event ?}))
    (self-insert-command 1 ?}))
  (wait-for "format" (lambda () (not (string-search "\nvalue = terraform_data" (buffer-string)))))
  (note "format while typing" (text))
  (revert-buffer t t)
  (goto-char (point-min))
  (forward-line 1)
  (changed "format lines" (lsp-format-region (point) (line-end-position)))
  (changed "format" (lsp-format-buffer)))

(read-things)
(mend-things)
(write-things)
(dolist (workspace (lsp--session-workspaces (lsp-session)))
  (with-lsp-workspace workspace (lsp--shutdown-workspace)))
(write-seen)

;;; lsp_mode.el ends here
