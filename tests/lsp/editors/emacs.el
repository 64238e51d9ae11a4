;;; emacs.el --- what the tests of both clients of Emacs share  -*- lexical-binding: t -*-

;; eglot.el and lsp_mode.el load it. `seen' has what the user sees, by name; `write-seen' writes it as JSON.

(require 'cl-lib)
(require 'json)
(require 'xref)
(package-initialize)

;; The mode that the setups build on is in no package of the distribution.
(define-derived-mode terraform-mode prog-mode "Terraform"
  (setq-local comment-start "#" indent-tabs-mode nil tab-width 2))
(add-to-list 'auto-mode-alist '("\\.tf\\'" . terraform-mode))
(provide 'terraform-mode)

(defvar seen nil)
(setq make-backup-files nil
      create-lockfiles nil
      vc-handled-backends '(Git)
      save-silently t
      last-nonmenu-event t)

(defun note (what value)
  (push (cons what value) seen))

(defun write-seen ()
  (let ((coding-system-for-write 'utf-8))
    (with-temp-file (getenv "EDITOR_SEEN")
      (insert (json-encode (nreverse seen))))))

(defun wait-for (what condition)
  "The value of the function CONDITION, as soon as it has one."
  (let ((end (+ (float-time) 20)) found)
    (while (not (setq found (funcall condition)))
      (when (> (float-time) end)
        (error "No %s" what))
      (accept-process-output nil 0.01)
      ;; What happens to files on the disk comes as events.
      (ignore-errors (read-event nil nil 0.01)))
    found))

(defun visit (name)
  "Edits a file of the workspace, as a command does."
  (switch-to-buffer (find-file-noselect (expand-file-name name (getenv "EDITOR_WORKSPACE"))))
  (run-hooks 'post-command-hook))

(defun go (mark)
  "Puts point behind the first MARK of the buffer."
  (goto-char (point-min))
  (search-forward mark))

(defun text ()
  (vconcat (split-string (string-trim-right (buffer-substring-no-properties (point-min) (point-max)) "\n+") "\n")))

(defun place ()
  (format "%s:%d:%d" (file-name-nondirectory (or buffer-file-name "")) (line-number-at-pos) (1+ (current-column))))

(defun spot (position)
  (save-excursion (goto-char position) (format "%d:%d" (line-number-at-pos) (1+ (current-column)))))

(defun plain (text)
  (vconcat (split-string (substring-no-properties text) "\n")))

(defmacro jumped (what &rest body)
  "Notes where BODY goes to, from behind the use of a variable in main.tf."
  `(progn
     (visit "main.tf")
     (go "var.st")
     ,@body
     (note ,what (place))))

(defmacro listed (what &rest body)
  "Notes the lines of the list of places that BODY shows."
  `(save-window-excursion
     ,@body
     (with-current-buffer (get-buffer "*xref*")
       (note ,what (text)))))

(defmacro changed (what &rest body)
  `(progn ,@body (note ,what (text))))

(defun outline (index)
  "An index of imenu as JSON."
  (vconcat (mapcar (lambda (entry)
                     (if (and (consp (cdr entry)) (consp (cadr entry)))
                         (vector (car entry) (outline (cdr entry)))
                       (substring-no-properties (car entry))))
                   index)))

(defun overlays-of (property value)
  "The overlays whose PROPERTY is VALUE, as places and texts; any value if VALUE is t."
  (vconcat (mapcar (lambda (overlay)
                     (vector (spot (overlay-start overlay)) (spot (overlay-end overlay))
                             (substring-no-properties (or (overlay-get overlay 'after-string)
                                                          (overlay-get overlay 'before-string) ""))))
                   (sort (cl-remove-if-not (lambda (overlay)
                                             (let ((own (overlay-get overlay property)))
                                               (if (eq value t) own (eq own value))))
                                           (overlays-in (point-min) (point-max)))
                         (lambda (one other) (< (overlay-start one) (overlay-start other)))))))

(defun first-of (titles)
  "A stand-in for `completing-read' that notes the choices, and takes the first."
  (lambda (_prompt collection &rest _)
    (let ((choices (mapcar (lambda (each) (if (consp each) (car each) each)) (all-completions "" collection))))
      (note titles (vconcat choices))
      (car choices))))

(defun problems ()
  (vconcat (mapcar (lambda (problem)
                     (vector (spot (flymake-diagnostic-beg problem)) (spot (flymake-diagnostic-end problem))
                             (format "%s" (flymake-diagnostic-type problem)) (flymake-diagnostic-text problem)))
                   (flymake-diagnostics))))

(defun rewrite (line)
  "Types LINE in place of the second line, and leaves point at its end."
  (goto-char (point-min))
  (forward-line 1)
  (delete-region (point) (line-end-position))
  (insert line))

(defun offered ()
  "What completion offers here."
  (let ((found (run-hook-with-args-until-success 'completion-at-point-functions)))
    (vconcat (mapcar #'substring-no-properties
                     (all-completions (buffer-substring (nth 0 found) (point)) (nth 2 found)
                                      (plist-get (nthcdr 3 found) :predicate))))))

;;; emacs.el ends here
